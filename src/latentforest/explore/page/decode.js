// The decoder: the same blend of rows as `inverse_transform` makes in Python.

// Weights add up in the order of the neighbours, so sums that should tie may differ.
const ROUNDING = 1e-12;
const EXACT = 2 ** 53;

// Decode one position: for each column a value, and how sure it is.
function decodeAt(decoder, position) {
  const found = nearestRows(decoder.points, position, decoder.neighbors);
  const { average, linear } = weigh(decoder, found, position);
  // Far from any row one is less sure.
  const stretch = isBeyond(decoder, found) && decoder.reach > 0
    ? found.distances[0] / decoder.reach : 1;
  return decoder.columns.map((column) =>
    column.isNumber
      ? decodeNumber(column, found.rows, average, linear, stretch)
      : decodeLevel(column, found.rows, linear || average, stretch));
}

// Farther from all rows than any row is from its nearest other one?
function isBeyond(decoder, found) {
  return found.distances[0] > decoder.reach;
}

function isFar(decoder, position) {
  return isBeyond(decoder, nearestRows(decoder.points, position, 1));
}

function weigh(decoder, found, position) {
  if (decoder.method === 'knn') {
    return { average: inverseDistanceWeights(found.distances), linear: null };
  }
  const { points, ridge, follow } = decoder;
  return planeWeights(points, found, position, ridge, follow);
}

function decodeNumber(column, rows, average, linear, stretch) {
  let total = 0;
  let seen = 0;
  let absent = 0;
  let low = Infinity;
  let high = -Infinity;
  const cells = Float64Array.from(rows, (row) => column.cells.at(row));
  cells.forEach((cell, i) => {
    if (Number.isNaN(cell)) {
      absent += (linear || average)[i];
      return;
    }
    total += average[i] * cell;
    seen += average[i];
    low = Math.min(low, cell);
    high = Math.max(high, cell);
  });
  const isAbsent = absent > column.absentAbove + ROUNDING;
  if (isAbsent || !(seen > 0)) return { value: NaN, std: 0, shares: null };
  // Rounding may carry the mean of equal cells past them.
  const mean = Math.min(Math.max(total / seen, low), high);
  let value = mean;
  if (linear) {
    cells.forEach((cell, i) => {
      if (!Number.isNaN(cell)) value += linear[i] * (cell - mean);
    });
    if (column.bounds) {
      value = Math.min(Math.max(value, column.bounds[0]), column.bounds[1]);
    }
  }
  let squares = 0;
  cells.forEach((cell, i) => {
    if (!Number.isNaN(cell)) squares += average[i] * (cell - value) ** 2;
  });
  const std = stretch * errorOf(column, Math.sqrt(squares / seen));
  return { value: roundDecimals(value, column.decimals), std, shares: null };
}

// Half of the 68 % interval, as calibrated on rows that were held back.
function errorOf(column, spread) {
  const scale = Math.hypot(spread, column.floor === null ? NaN : column.floor);
  if (!(scale > 0)) return 0;
  return column.factor === null ? Infinity : column.factor * scale;
}

// Half to even; values too large to have such decimals stay as they are.
function roundDecimals(value, decimals) {
  if (decimals === null) return value;
  const scale = Number(`1e${decimals}`);
  const scaled = value * scale;
  if (!(Math.abs(scaled) < EXACT / 2)) return value;
  const below = Math.floor(scaled);
  const half = scaled - below === 0.5;
  const whole = half ? below + Math.abs(below % 2) : Math.round(scaled);
  return whole / scale;
}

function decodeLevel(column, rows, weights, stretch) {
  const missing = column.nLevels;
  const votes = new Float64Array(missing + 1);
  for (let i = 0; i < rows.length; i++) votes[column.cells.raw[rows[i]]] += weights[i];
  // Missing stands against all levels together.
  let winner = votes[missing] > column.absentAbove + ROUNDING || !missing ? missing : 0;
  for (let level = 1; winner < missing && level < missing; level++) {
    const lead = votes[level] - votes[winner];
    const first = column.ranks[level] > column.ranks[winner];
    if (lead > ROUNDING || (lead > -ROUNDING && first)) winner = level;
  }
  let total = 0;
  for (let level = 0; level <= missing; level++) {
    votes[level] = Math.max(votes[level], 0);
    total += votes[level];
  }
  // Far from any row only the shares in the training rows are known.
  const near = 1 / stretch;
  const shares = votes.map((vote, k) => near * (vote / total) + (1 - near) * column.shares[k]);
  return { value: winner === missing ? NaN : winner, std: NaN, shares };
}

// The decoded row with names instead of codes, for other programs.
function describeRow(position) {
  return decodeAt(data.decoder, Float64Array.from(position)).map((cell, j) => {
    const column = data.columns[j];
    const name = column.name;
    const value = Number.isNaN(cell.value) ? null : cell.value;
    if (column.time && value !== null) {
      const std = cell.std * (Number(TICKS[column.time.unit]) / 1e9); // seconds
      return { name, value: formatTime(column.time, value), std };
    }
    if (column.isNumber) return { name, value, std: cell.std };
    const level = value === null ? null : column.levels[value];
    return {
      name,
      value: level,
      probabilities: [...column.levels, null].map((text, k) => [text, cell.shares[k]]),
    };
  });
}
