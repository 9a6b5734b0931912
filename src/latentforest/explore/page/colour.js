// Colours that colour-blind readers can tell apart.

// Okabe and Ito's palette, without its black, strongest contrasts first; then more, for
// tables with up to a dozen levels.
const PALETTE = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167],
  [86, 180, 233], [213, 94, 0], [240, 228, 66],
  [136, 34, 85], [153, 153, 51], [120, 100, 200], [68, 170, 153], [140, 90, 50],
];
// Evenly spaced in lightness, blue to yellow.
const RAMP = [
  [0, 34, 78], [33, 60, 110], [76, 85, 108], [108, 110, 114],
  [142, 137, 119], [177, 166, 111], [216, 196, 93], [254, 232, 56],
];
const OTHER = [125, 125, 125];
const PLAIN = PALETTE[0];

// Missing cells step back: nearer to the ground than any colour of the ramp.
function missingColour() {
  return theme.isDark ? [74, 80, 88] : [196, 200, 205];
}

// The darkest blues vanish on a dark ground, the lightest yellows on a light one.
function rampColour(share) {
  const from = theme.isDark ? 0.12 : 0;
  const to = theme.isDark ? 1 : 0.94;
  const at = (from + (to - from) * share) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  return RAMP[low].map((v, c) => Math.round(v + (at - low) * (RAMP[low + 1][c] - v)));
}

function cssColour(rgb) {
  return `rgb(${rgb.join(' ')})`;
}

// How a column colours rows: `group` of each row, and what each group looks like.
// Numbers have no groups but a place on the ramp.
function makeColouring(column) {
  if (column === null) return { column, groups: [], of: null };
  return column.isNumber ? colourNumbers(column) : colourLevels(column);
}

function colourNumbers(column) {
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < data.n; row++) {
    const value = column.cells.at(row);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { column, groups: null, low, high };
}

function colourLevels(column) {
  const counts = new Float64Array(column.levels.length + 1);
  for (let row = 0; row < data.n; row++) counts[column.cells.raw[row]]++;
  const missing = column.levels.length;
  const levels = [...column.levels.keys()].filter((level) => counts[level] > 0);
  // With more levels than colours, the most frequent ones get a colour of their own.
  const often = [...levels].sort((a, b) => counts[b] - counts[a]);
  const chosen = levels.length > PALETTE.length ? often.slice(0, PALETTE.length - 1) : levels;
  const groups = chosen.sort((a, b) => a - b).map((level, i) => ({
    label: column.levels[level], colour: PALETTE[i], count: counts[level], hidden: false,
  }));
  const groupOf = new Int32Array(missing + 1).fill(groups.length);
  chosen.forEach((level, i) => { groupOf[level] = i; });
  const others = levels.length - chosen.length;
  if (others > 0) {
    const count = often.slice(chosen.length).reduce((sum, level) => sum + counts[level], 0);
    groups.push({ label: `${others} others`, colour: OTHER, count, hidden: false });
  }
  if (counts[missing] > 0) {
    groupOf[missing] = groups.length;
    const count = counts[missing];
    groups.push({ label: 'missing', colour: null, count, hidden: false });
  }
  return { column, groups, groupOf };
}

// Fill red, green, blue and alpha of every row; alpha 0 is a hidden row.
function fillColours(colouring, selected, out) {
  const { column, groups } = colouring;
  const dim = selected !== null;
  const missing = missingColour();
  for (let row = 0; row < data.n; row++) {
    let colour = PLAIN;
    let alpha = 255;
    if (column && groups === null) {
      const value = column.cells.at(row);
      const span = colouring.high - colouring.low;
      colour = Number.isNaN(value)
        ? missing : ramps[Math.round(span > 0 ? (255 * (value - colouring.low)) / span : 0)];
    } else if (column) {
      const group = groups[colouring.groupOf[column.cells.raw[row]]];
      colour = group.colour || missing;
      if (group.hidden) alpha = 0;
    }
    if (dim && alpha && !selected[row]) alpha = 60;
    out[4 * row] = colour[0];
    out[4 * row + 1] = colour[1];
    out[4 * row + 2] = colour[2];
    out[4 * row + 3] = alpha;
  }
}

let ramps = [];

function buildRamp() {
  ramps = Array.from({ length: 256 }, (_, i) => rampColour(i / 255));
}
