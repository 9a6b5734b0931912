// What Python put into the page: arrays, rows, columns.

const TYPES = {
  u1: Uint8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array,
  f4: Float32Array, f8: Float64Array,
};

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Cells of one column: a number, the number of a level, or NaN for missing.
class Cells {
  constructor(packed) {
    this.raw = new TYPES[packed.type](bytesOf(packed.data).buffer);
    this.scale = packed.scale;
    this.missing = packed.missing;
    packed.data = null;
  }

  at(row) {
    const raw = this.raw[row];
    return raw === this.missing ? NaN : raw / this.scale;
  }
}

function readData() {
  const data = JSON.parse(document.getElementById('data').textContent);
  document.getElementById('data').remove();
  const arrays = data.arrays.map((packed) => new Cells(packed));
  data.arrays = null;
  data.coords = data.coords.map((k) => Float64Array.from(arrays[k].raw));
  data.numbers = data.numbers === null ? null : arrays[data.numbers];
  data.columns.forEach((column) => {
    column.cells = arrays[column.cells];
    column.isNumber = ['continuous', 'integer', 'datetime'].includes(column.kind);
  });
  const decoder = data.decoder;
  decoder.points = decoder.points.map((k) => Float64Array.from(arrays[k].raw));
  decoder.columns.forEach((known, j) => {
    const column = data.columns[j];
    known.cells = arrays[known.cells];
    known.isNumber = column.isNumber;
    known.decimals = column.decimals;
    known.nLevels = column.levels.length;
  });
  return data;
}

// The number of a row in the table that was given to Python, from 0.
function rowNumber(row) {
  return data.numbers === null ? row : data.numbers.at(row);
}

// What a row is called: by its index label, where the table has an index, or its number.
function rowName(row) {
  return data.labels === null ? rowNumber(row) : data.labels[row];
}

function formatNumber(value, decimals) {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : 'missing';
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-5)) return value.toExponential(3);
  if (decimals !== null && decimals <= 6) return value.toFixed(decimals);
  return String(Number(value.toPrecision(6)));
}

// Three digits are enough for means, spreads and differences.
function formatRough(value) {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return '∞';
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2);
  return size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function formatShare(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 1) return '<1%';
  if (percent < 100 && percent > 99) return '>99%';
  return `${percent.toFixed(0)}%`;
}

function formatCell(column, code) {
  if (Number.isNaN(code)) return 'missing';
  if (column.time && Number.isFinite(code)) return formatTime(column.time, code);
  return column.isNumber ? formatNumber(code, column.decimals) : column.levels[code];
}

// A mean or a median: of dates and times as text, of numbers with three digits.
function formatMean(column, value) {
  return column.time && Number.isFinite(value)
    ? formatTime(column.time, value) : formatRough(value);
}

// How far a number may be off.
function formatError(column, std) {
  return column.time && Number.isFinite(std) ? formatSpan(column.time, std) : formatRough(std);
}

// A small builder of elements; text is only ever set as text.
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function byId(id) {
  return document.getElementById(id);
}
