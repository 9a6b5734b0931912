// Rows inside a box or a lasso.

function isInside(shape, x, y) {
  let inside = false;
  for (let i = 0, j = shape.length - 1; i < shape.length; j = i++) {
    const [ax, ay] = shape[i];
    const [bx, by] = shape[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

// The visible rows inside a shape that is given in pixels.
function rowsInside(view, shape) {
  const places = shape.map(([px, py]) => view.toData(px, py));
  const [left, right] = rangeOf(places.map(([x]) => x));
  const [low, high] = rangeOf(places.map(([, y]) => y));
  const selected = new Uint8Array(data.n);
  let count = 0;
  for (let row = 0; row < data.n; row++) {
    const x = view.x[row];
    const y = view.y[row];
    if (x < left || x > right || y < low || y > high || isHidden(row)) continue;
    if (!isInside(places, x, y)) continue;
    selected[row] = 1;
    count++;
  }
  return { selected, count };
}

function boxShape([ax, ay], [bx, by]) {
  return [[ax, ay], [bx, ay], [bx, by], [ax, by]];
}

// All visible rows in the part of the plane that is in sight; the keyboard's way.
function selectInSight() {
  const [right, bottom] = [view.width, view.height - MARGIN.bottom];
  return select(boxShape([MARGIN.left, 0], [right, bottom]));
}

let summaryNumber = 0;

async function select(shape) {
  const { selected, count } = rowsInside(view, shape);
  if (count === 0) {
    clearSelection();
    announce('No rows in there.');
    return;
  }
  state.selected = selected;
  recolour();
  const number = ++summaryNumber;
  const others = data.n - count;
  byId('selection').hidden = false;
  byId('selection-count').textContent = `${count.toLocaleString('en')} of ${
    data.n.toLocaleString('en')} rows, against the other ${others.toLocaleString('en')}`;
  byId('selection-lines').replaceChildren();
  byId('selection-told').textContent = '';
  announce(`${count} rows selected.`);
  const lines = await summarise(selected, () => number !== summaryNumber);
  if (lines === null) return;
  state.summary = lines;
  const pictures = byId('selection-pictures');
  pictures.replaceChildren();
  byId('selection-key').hidden = Boolean(data.image);
  if (data.image) showSidePictures(lines, pictures);
  else showSummary(lines, byId('selection-lines'));
}

// Of pictures, the mean picture of either side says more than a list of pixels.
function showSidePictures(lines, place) {
  ['selected', 'rest'].forEach((label, side) => {
    const figure = make('figure');
    const canvas = make('canvas', 'picture');
    const means = new Map(lines.map((line) => [line.column, sideMean(line, side)]));
    drawPicture(canvas, data.columns.slice(0, pixelCount()).map((c) => means.get(c)));
    figure.append(canvas, make('figcaption', '', `mean, ${label}`));
    place.append(figure);
  });
}

function sideMean(line, side) {
  if (line.column.isNumber) return (side ? line.rest : line.inside).mean;
  const shares = line.shares[side];
  let mean = 0;
  line.column.values.forEach((value, k) => { mean += shares[k] * value; });
  return mean;
}

function clearSelection() {
  summaryNumber++;
  byId('selection').hidden = true;
  state.summary = null;
  if (state.selected === null) return;
  state.selected = null;
  recolour();
}
