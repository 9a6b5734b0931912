// The panel: the decoded row, its position, and notes on what is in the file.

// Decode a position and show it. `row` is the point that lies there, or -1; `near` the
// point that the coordinates that are not shown were taken from, or -1.
function showDecoded(position, row, near, before) {
  state.decoded = { position, row, near };
  const cells = decodeAt(data.decoder, position);
  state.decoded.cells = cells;
  byId('hint').hidden = true;
  byId('decoded-body').hidden = false;
  byId('decoded-copy').hidden = false;
  byId('decoded-told').textContent = '';
  byId('decoded-where').textContent = whereText(position, row, near);
  if (data.image) {
    const values = cells.slice(0, pixelCount())
      .map((cell, j) => pixelValue(data.columns[j], cell.value));
    drawPicture(byId('decoded-picture'), values);
  }
  if (!data.image || byId('pixel-list').open) {
    fillCells(byId('cells'), cells, before ? -1 : row, before || null);
  }
  showPosition();
  announce(spokenRow(cells));
  redraw();
}

function whereText(position, row, near) {
  if (state.walk) return `on the walk, step ${state.walk.step} of ${WALK_STEPS}`;
  if (row >= 0) return `at row ${rowName(row)}`;
  const place = isFar(data.decoder, position) ? 'far from any row' : 'between the rows';
  if (near < 0 || data.coords.length <= 2) return place;
  return `${place}; coordinates that are not shown are those of row ${
    rowName(near)}, the nearest`;
}

function spokenRow(cells) {
  const parts = cells.slice(0, 8).map((cell, j) =>
    `${data.columns[j].name}: ${formatCell(data.columns[j], cell.value)}`);
  return data.image ? 'Decoded a picture.' : `Decoded. ${parts.join(', ')}.`;
}

let lastSpoken = 0;

// Tell screen readers, but not at every step of a slider.
function announce(text) {
  window.clearTimeout(lastSpoken);
  lastSpoken = window.setTimeout(() => { byId('live').textContent = text; }, 250);
}

// The coordinates in full; the inputs show them rounded.
const exact = [];

// One number per coordinate; the keyboard's way to decode.
function buildPosition() {
  const box = byId('coordinates');
  data.coords.forEach((axis, c) => {
    const [low, high] = rangeOf(axis);
    const label = make('label', 'coordinate');
    const number = make('input');
    number.type = 'text'; // browsers leave commas out of numbers: 1,5 would be 15
    number.inputMode = 'decimal';
    number.autocomplete = 'off';
    number.id = `coordinate-${c}`;
    const slider = make('input');
    slider.type = 'range';
    slider.min = low;
    slider.max = high;
    slider.step = (high - low) / 200;
    slider.setAttribute('aria-label', `${axisName(c)}, slider`);
    number.addEventListener('change', () => {
      exact[c] = typedNumber(number.value);
      decodeInputs();
    });
    slider.addEventListener('input', () => {
      exact[c] = slider.valueAsNumber;
      decodeInputs();
    });
    exact[c] = Number(((low + high) / 2).toPrecision(6));
    number.value = exact[c];
    slider.value = exact[c];
    label.append(make('span', '', axisName(c)), number);
    box.append(label, slider);
  });
}

// A number with a decimal point or a decimal comma, or NaN. No groups of digits: what
// 1,234.5 means depends on the reader.
function typedNumber(text) {
  const plain = text.trim().replace('\u2212', '-').replace(',', '.');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

function decodeInputs() {
  const inputs = data.coords.map((_, c) => byId(`coordinate-${c}`));
  const position = Float64Array.from(exact);
  const isBad = (z) => !(Math.abs(z) < 1e150);
  inputs.forEach((input, c) => input.classList.toggle('bad', isBad(position[c])));
  if (position.some(isBad)) {
    announce('Every coordinate must be a number, such as 1.5.');
    return;
  }
  endWalk();
  showDecoded(position, -1, -1);
}

function showPosition() {
  data.coords.forEach((_, c) => {
    const number = byId(`coordinate-${c}`);
    const slider = number.parentElement.nextElementSibling;
    const value = state.decoded.position[c];
    const isTyped = typedNumber(number.value) === value;
    if (!isTyped) number.value = Number(value.toPrecision(7));
    exact[c] = value;
    slider.value = value;
    number.classList.remove('bad');
  });
}

// The name of a coordinate, and the columns that go with it most, where known.
function axisName(c) {
  const names = data.axes === null ? [] : data.axes[c];
  return `z${c + 1}${names.length ? ` · ${names.join(', ')}` : ''}`;
}

function clearDecoded() {
  state.decoded = null;
  byId('hint').hidden = false;
  byId('decoded-body').hidden = true;
  byId('decoded-copy').hidden = true;
  byId('decoded-told').textContent = '';
}

function fillNotes() {
  const { decoder, n, nGiven, ofTraining } = data;
  const count = (k) => k.toLocaleString('en');
  const notes = [
    `Row data is inside this file: ${count(n)} ${n === nGiven ? '' : `of ${count(nGiven)} `}`
    + `${ofTraining ? 'training ' : ''}rows `
    + `with ${data.columns.length} columns are shown, and ${count(decoder.n)} training rows serve `
    + 'to decode. Whoever has the file has these rows.',
    decoder.isOwn
      ? `Positions are decoded here as in Python, by the model's own decoder: ${decoder.name}.`
      : `The model's own decoder cannot run in a browser. Positions are decoded here by `
        + `${decoder.name} instead, so that rows differ from inverse_transform.`,
  ];
  if (!decoder.allRows) {
    notes.push(`Decoding uses the ${count(decoder.n)} training rows in this file only, `
      + 'so that rows differ a little from inverse_transform, which uses all.');
  }
  notes.push('± is half of the interval that held 68 % of cells on rows that were held back. '
    + 'Bars of levels are shares of the weight of the rows that are blended. Far from any row '
    + 'both widen with the distance, bars towards the shares of levels in the training rows.');
  byId('notes').replaceChildren(...notes.map((text) => make('p', '', text)));
  byId('map-note').hidden = data.mapNote === null;
  byId('map-note').textContent = data.mapNote;
  byId('stand-in').hidden = decoder.isOwn && decoder.allRows;
  byId('stand-in').textContent = notes.slice(1, decoder.allRows ? 2 : 3)
    .filter((_, k) => !decoder.isOwn || k > 0).join(' ');
}
