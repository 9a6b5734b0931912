// Rows as text and pictures.

const TOOLTIP_LINES = 12;
const MOST_BARS = 4;

function pixelCount() {
  return data.image[0] * data.image[1];
}

function pixelValue(column, code) {
  return column.isNumber || Number.isNaN(code) ? code : column.values[code];
}

// The range of all pixels, so that pictures can be compared; found once.
let pixelRange = null;

function rangeOfPixels() {
  if (pixelRange) return pixelRange;
  let [low, high] = [Infinity, -Infinity];
  for (const column of data.columns.slice(0, pixelCount())) {
    const values = column.isNumber
      ? rangeOf(Array.from(column.cells.raw.slice(0, 2000), (_, row) => column.cells.at(row)))
      : rangeOf(column.values);
    low = Math.min(low, values[0]);
    high = Math.max(high, values[1]);
  }
  pixelRange = [low, high];
  return pixelRange;
}

function drawPicture(canvas, values) {
  const [height, width] = data.image;
  const [low, high] = rangeOfPixels();
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext('2d');
  const image = pen.createImageData(width, height);
  values.forEach((value, k) => {
    const light = Math.max(0, Math.min(255, (255 * (value - low)) / (high - low)));
    const rgb = Number.isNaN(value) ? missingColour() : [light, light, light];
    image.data.set([...rgb, 255], 4 * k);
  });
  pen.putImageData(image, 0, 0);
}

// What is in a row of the table, beside the pointer.
function fillTooltip(box, row) {
  box.replaceChildren(make('div', 'tip-head', `row ${rowName(row)}`));
  let columns = data.columns;
  if (data.image) {
    const canvas = make('canvas', 'picture');
    const pixels = columns.slice(0, pixelCount());
    drawPicture(canvas, pixels.map((c) => pixelValue(c, c.cells.at(row))));
    box.append(canvas);
    columns = columns.slice(pixelCount());
  }
  const list = make('dl');
  columns.slice(0, TOOLTIP_LINES).forEach((column) => {
    list.append(make('dt', '', column.name));
    const code = column.cells.at(row);
    list.append(make('dd', Number.isNaN(code) ? 'missing' : '', formatCell(column, code)));
  });
  box.append(list);
  const more = columns.length - TOOLTIP_LINES;
  if (more > 0) box.append(make('div', 'note', `and ${more} more columns`));
}

// The decoded row, cell by cell. `origin` is the row that was clicked, or -1; `before`
// is the decoded row that a walk began with, or null.
function fillCells(list, decoded, origin, before) {
  list.replaceChildren(...decoded.map((cell, j) => {
    const column = data.columns[j];
    const item = make('div', 'cell');
    const head = make('div', 'cell-head');
    const text = formatCell(column, cell.value);
    const value = make('span', Number.isNaN(cell.value) ? 'value missing' : 'value', text);
    if (column.isNumber && !Number.isNaN(cell.value)) {
      value.append(make('span', 'spread', ` ± ${formatError(column, cell.std)}`));
    }
    head.append(make('span', 'name', column.name), value);
    item.append(head);
    item.append(column.isNumber ? rangeBar(column, cell) : levelBars(column, cell));
    const note = cellNote(column, cell, origin, before && before[j]);
    if (note) item.append(make('div', 'cell-note', note));
    item.classList.toggle('changed', Boolean(before) && isOther(column, cell, before[j]));
    return item;
  }));
}

function isOther(column, cell, old) {
  return formatCell(column, cell.value) !== formatCell(column, old.value);
}

function cellNote(column, cell, origin, old) {
  if (old) return isOther(column, cell, old) ? `at the start ${formatCell(column, old.value)}` : '';
  return origin >= 0 ? `in the table ${formatCell(column, column.cells.at(origin))}` : '';
}

// Where the value lies in the range of the column, and how far it may be off.
function rangeBar(column, cell) {
  const bar = make('div', 'range');
  column.range = column.range || columnRange(column);
  const [low, high] = column.range;
  if (Number.isNaN(cell.value) || !(high > low)) return bar;
  const at = (value) => 100 * Math.min(1, Math.max(0, (value - low) / (high - low)));
  const band = make('span', 'band');
  band.style.left = `${at(cell.value - cell.std)}%`;
  band.style.width = `${at(cell.value + cell.std) - at(cell.value - cell.std)}%`;
  const dot = make('span', 'dot');
  dot.style.left = `${at(cell.value)}%`;
  bar.append(band, dot);
  return bar;
}

function columnRange(column) {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < data.n; row++) {
    const value = column.cells.at(row);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function levelBars(column, cell) {
  const box = make('div', 'bars');
  const names = [...column.levels, 'missing'];
  const order = [...names.keys()]
    .filter((k) => cell.shares[k] > 0)
    .sort((a, b) => cell.shares[b] - cell.shares[a]);
  const shown = order.length > MOST_BARS + 1 ? order.slice(0, MOST_BARS) : order;
  shown.forEach((k) => box.append(levelBar(names[k], cell.shares[k])));
  if (shown.length < order.length) {
    const rest = order.slice(MOST_BARS).reduce((sum, k) => sum + cell.shares[k], 0);
    box.append(levelBar(`${order.length - MOST_BARS} others`, rest));
  }
  return box;
}

function levelBar(text, share) {
  const row = make('div', 'bar-row');
  const track = make('span', 'track');
  const bar = make('span', 'bar');
  bar.style.width = `${100 * share}%`;
  track.append(bar);
  row.append(make('span', 'level', text), track, make('span', 'share', formatShare(share)));
  return row;
}
