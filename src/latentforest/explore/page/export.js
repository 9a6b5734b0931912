// Rows as text for other programs: a file to keep, cells to paste.

// CSV as Python writes it; what is pasted into a spreadsheet must not run there.
const FILE = { separator: ',', special: /[",\r\n]/, writeTime: isoTime, isSafe: false };
const PASTE = { separator: '\t', special: /["\t\r\n]/, writeTime: formatTime, isSafe: true };
const FORMULA = /^[=+\-@\t\r\n]/; // after OWASP
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TOLD_FOR = 6000; // milliseconds

// A float as Python's repr writes it: all digits that tell it from others, no more.
function floatText(value) {
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/(e[+-])(\d)$/, (_, sign, digit) => `${sign}0${digit}`);
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

// The same for a float of single precision, which has fewer digits.
function singleText(value) {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return floatText(short);
  }
  return floatText(Number(single.toPrecision(9)));
}

// As Python writes the column: as floats, or with a fixed number of decimals.
function numberText({ written }, value) {
  if (written === 'double') return floatText(value);
  return written === 'single' ? singleText(value) : value.toFixed(written);
}

function quoted(text, form) {
  const runs = form.isSafe && FORMULA.test(text) && !NUMBER.test(text);
  const safe = runs ? `'${text}` : text;
  return form.special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function cellText(column, code, form) {
  if (Number.isNaN(code)) return '';
  if (column.time) return form.writeTime(column.time, code);
  return column.isNumber ? numberText(column, code) : quoted(column.levels[code], form);
}

// Names of coordinates and of rows, other than those of all columns.
function freeName(name) {
  return data.columns.some((column) => column.name === name) ? freeName(`${name}_`) : name;
}

function headOf(columns, form) {
  const axes = data.coords.map((_, c) => freeName(`z${c + 1}`));
  return [...axes, ...columns.map((column) => quoted(column.name, form))];
}

// The selected rows: numbers, index labels if any, coordinates and cells, below names.
function selectedText(form) {
  const { separator } = form;
  const names = data.labels === null ? ['row'] : ['row', 'label'];
  const lines = [[...names.map(freeName), ...headOf(data.columns, form)].join(separator)];
  state.selected.forEach((isIn, row) => {
    if (!isIn) return;
    lines.push([
      rowNumber(row),
      ...(data.labels === null ? [] : [quoted(data.labels[row], form)]),
      ...data.coords.map((axis) => floatText(axis[row])),
      ...data.columns.map((column) => cellText(column, column.cells.at(row), form)),
    ].join(separator));
  });
  return `${lines.join('\n')}\n`;
}

// The decoded row, where it is and what is in it, below the names.
function decodedText(form) {
  const { position, cells } = state.decoded;
  const columns = data.columns.slice(0, cells.length);
  const line = [
    ...Array.from(position, floatText),
    ...cells.map((cell, j) => cellText(columns[j], cell.value, form)),
  ];
  return `${headOf(columns, form).join(form.separator)}\n${line.join(form.separator)}\n`;
}

async function putOnClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text); // where there is no such clipboard, or it is refused
  }
}

// The old way: select a text that nobody sees, and copy what is selected.
function copyByHand(text) {
  const focused = document.activeElement;
  const area = make('textarea', 'unseen');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (focused) focused.focus({ preventScroll: true });
  return isDone;
}

// Say what was done, to screen readers and, for a while, beside the button.
function tell(place, text) {
  announce(text);
  place.textContent = text;
  window.setTimeout(() => {
    if (place.textContent === text) place.textContent = '';
  }, TOLD_FOR);
}

async function copy(text, what, place) {
  const isDone = await putOnClipboard(text);
  tell(place, isDone ? `${what} copied.` : `Not copied: the browser refused. ${
    place.dataset.instead}`);
}

function countSelected() {
  const count = state.selected.reduce((sum, isIn) => sum + isIn, 0);
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
}

function saveSelected() {
  const file = new Blob([selectedText(FILE)], { type: 'text/csv' });
  const link = make('a');
  link.href = URL.createObjectURL(file);
  link.download = 'selected-rows.csv';
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), TOLD_FOR);
  tell(byId('selection-told'), `${countSelected()} saved as ${link.download}.`);
}

function listenToExport() {
  byId('selection-save').addEventListener('click', saveSelected);
  byId('selection-copy').addEventListener('click', () =>
    copy(selectedText(PASTE), countSelected(), byId('selection-told')));
  byId('decoded-copy').addEventListener('click', () =>
    copy(decodedText(PASTE), 'Decoded row', byId('decoded-told')));
}
