// The selected rows against the rest, column by column.

const MOST_LINES = 40;

// Chance that a normal variable lies below.
function normalBelow(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = 0.3989422804014327 * Math.exp((-z * z) / 2) * t * (0.31938153
    + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

function numberSide(values) {
  const n = values.length;
  let total = 0;
  for (const value of values) total += value;
  const mean = total / n;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  values.sort();
  const half = n >> 1;
  const median = n % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  return { n, mean, median: n ? median : NaN, variance: squares / (n - 1) };
}

// Cells of a column, those that are there, of the chosen and of the other rows.
function splitCells(column, selected) {
  const sides = [[], []];
  const missing = [0, 0];
  for (let row = 0; row < data.n; row++) {
    const side = selected[row] ? 0 : 1;
    const cell = column.cells.at(row);
    if (Number.isNaN(cell)) missing[side]++;
    else sides[side].push(cell);
  }
  return { sides: sides.map((side) => Float64Array.from(side)), missing };
}

function summariseNumber(column, selected) {
  const { sides, missing } = splitCells(column, selected);
  const [inside, rest] = sides.map(numberSide);
  const spread = Math.sqrt((inside.variance + rest.variance) / 2);
  const gap = inside.mean - rest.mean;
  const difference = gap === 0 ? 0 : gap / spread;
  const shares = missing.map((m, k) => m / Math.max(1, m + sides[k].length));
  // The share of two normal curves that does not overlap, to compare with levels.
  const apart = Number.isNaN(difference) ? 0 : 2 * normalBelow(Math.abs(difference) / 2) - 1;
  const strength = Math.max(apart, Math.abs(shares[0] - shares[1]));
  return { column, inside, rest, difference, missing: shares, strength };
}

function summariseLevels(column, selected) {
  const n = column.levels.length + 1;
  const counts = [new Float64Array(n), new Float64Array(n)];
  for (let row = 0; row < data.n; row++) {
    counts[selected[row] ? 0 : 1][column.cells.raw[row]]++;
  }
  const shares = counts.map((count) => {
    const total = count.reduce((sum, c) => sum + c, 0);
    return count.map((c) => c / Math.max(1, total));
  });
  let strength = 0;
  for (let k = 0; k < n; k++) strength += Math.abs(shares[0][k] - shares[1][k]) / 2;
  return { column, shares, strength };
}

// Column by column with a breath between, so that the page stays quick.
async function summarise(selected, isStale) {
  const lines = [];
  let last = performance.now();
  for (const column of data.columns) {
    lines.push((column.isNumber ? summariseNumber : summariseLevels)(column, selected));
    if (performance.now() - last > 30) {
      await new Promise((resolve) => { setTimeout(resolve); });
      if (isStale()) return null;
      last = performance.now();
    }
  }
  return lines.sort((a, b) => b.strength - a.strength);
}

function showSummary(lines, list) {
  list.replaceChildren(...lines.slice(0, MOST_LINES).map((line) =>
    (line.column.isNumber ? numberLine(line) : levelLine(line))));
  if (lines.length > MOST_LINES) {
    const more = `The ${MOST_LINES} columns of ${lines.length} that differ most.`;
    list.append(make('p', 'note', more));
  }
}

function lineHead(column, text) {
  const head = make('div', 'line-head');
  head.append(make('span', 'name', column.name), make('span', 'strength', text));
  return head;
}

function numberLine({ column, inside, rest, difference, missing }) {
  const line = make('div', 'line');
  const size = Number.isNaN(difference) ? '' : `${difference > 0 ? '+' : '−'}${
    formatRough(Math.abs(difference))} sd`;
  const table = make('table', 'sides');
  const top = make('tr');
  ['', 'selected', 'rest'].forEach((text) => top.append(make('th', '', text)));
  table.append(top);
  const rows = [['mean', inside.mean, rest.mean], ['median', inside.median, rest.median]];
  rows.forEach(([label, ...values]) => {
    const row = make('tr');
    row.append(make('th', '', label));
    values.forEach((value) => row.append(make('td', '', formatMean(column, value))));
    table.append(row);
  });
  if (missing[0] || missing[1]) {
    const row = make('tr');
    row.append(make('th', '', 'missing'));
    missing.forEach((share) => row.append(make('td', '', formatShare(share))));
    table.append(row);
  }
  line.append(lineHead(column, size), table);
  return line;
}

function levelLine({ column, shares, strength }) {
  const line = make('div', 'line');
  line.append(lineHead(column, `differ by ${formatShare(strength)}`));
  const names = [...column.levels, 'missing'];
  const order = [...names.keys()]
    .filter((k) => shares[0][k] > 0 || shares[1][k] > 0)
    .sort((a, b) => Math.max(shares[0][b], shares[1][b]) - Math.max(shares[0][a], shares[1][a]));
  order.slice(0, 5).forEach((k) => {
    const row = make('div', 'pair');
    const bars = make('span', 'pair-bars');
    shares.forEach((side, which) => {
      const bar = make('span', which ? 'bar rest' : 'bar');
      bar.style.width = `${100 * side[k]}%`;
      bars.append(bar);
    });
    const numbers = `${formatShare(shares[0][k])} · ${formatShare(shares[1][k])}`;
    row.append(make('span', 'level', names[k]), bars, make('span', 'share', numbers));
    line.append(row);
  });
  if (order.length > 5) line.append(make('p', 'note', `and ${order.length - 5} more levels`));
  return line;
}
