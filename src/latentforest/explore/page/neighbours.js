// The rows nearest to a position, and how much each of them counts.

// Nearest first; among equals the row that comes first.
function nearestRows(points, position, wanted) {
  const n = points[0].length;
  const size = Math.min(wanted, n);
  const rows = new Int32Array(size);
  const squares = new Float64Array(size).fill(Infinity);
  let worst = Infinity;
  for (let p = 0; p < n; p++) {
    let square = 0;
    for (let c = 0; c < points.length; c++) {
      const gap = points[c][p] - position[c];
      square += gap * gap;
    }
    if (!(square < worst)) continue;
    let j = size - 1;
    while (j > 0 && squares[j - 1] > square) {
      squares[j] = squares[j - 1];
      rows[j] = rows[j - 1];
      j--;
    }
    squares[j] = square;
    rows[j] = p;
    worst = squares[size - 1];
  }
  return { rows, distances: squares.map(Math.sqrt) };
}

// Weights 1/distance that sum to 1; exact hits share the whole weight.
function inverseDistanceWeights(distances) {
  const nearest = distances[0];
  const weights = distances.map((d) => (nearest === 0 ? Number(d === 0) : nearest / d));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

const FARTHEST = 16;

// Weights of the average, and of the value at the position of a plane that is fitted
// to the neighbours.
function planeWeights(points, found, position, ridge, follow) {
  const k = found.rows.length;
  const d = points.length;
  const farthest = found.distances[k - 1];
  const average = found.distances.map((distance) => {
    const ratio = farthest > 0 ? distance / farthest : 0;
    return Math.exp(-2 * ratio * ratio);
  });
  const total = average.reduce((sum, w) => sum + w, 0);
  const middle = new Float64Array(d);
  for (let i = 0; i < k; i++) {
    average[i] /= total;
    for (let c = 0; c < d; c++) middle[c] += average[i] * points[c][found.rows[i]];
  }
  const offset = position.map((z, c) => z - middle[c]);
  // Differences that the middle owes to rounding are 0, or rows in one place had a slope.
  const centred = points.map((axis, c) => Float64Array.from(found.rows, (row) => {
    const gap = axis[row] - middle[c];
    return Math.abs(gap) > 1e-14 * Math.abs(middle[c]) ? gap : 0;
  }));
  const slope = solve(scatterOf(centred, average, ridge), offset);
  let asked = 0;
  for (let c = 0; c < d; c++) asked += slope[c] * offset[c];
  const linear = new Float64Array(k);
  let reach = 0;
  for (let i = 0; i < k; i++) {
    for (let c = 0; c < d; c++) linear[i] += slope[c] * centred[c][i];
    reach = Math.max(reach, linear[i]);
  }
  let shrink = 1;
  if (follow && asked > FARTHEST * d) shrink = Math.sqrt((FARTHEST * d) / asked);
  else if (!follow && asked > reach) shrink = reach / asked;
  for (let i = 0; i < k; i++) linear[i] = average[i] * (1 + shrink * linear[i]);
  return { average, linear };
}

// The weighted covariance of the neighbours, kept regular.
function scatterOf(centred, weights, ridge) {
  const d = centred.length;
  const scatter = centred.map(() => new Float64Array(d));
  for (let i = 0; i < weights.length; i++) {
    for (let c = 0; c < d; c++) {
      const scaled = weights[i] * centred[c][i];
      for (let e = 0; e <= c; e++) scatter[c][e] += scaled * centred[e][i];
    }
  }
  let largest = 0;
  for (let c = 0; c < d; c++) largest = Math.max(largest, scatter[c][c]);
  for (let c = 0; c < d; c++) {
    for (let e = 0; e < c; e++) scatter[e][c] = scatter[c][e];
    // A direction without spread has no slope.
    scatter[c][c] += (ridge + 1e-9) * scatter[c][c] + 1e-12 * largest;
    if (scatter[c][c] === 0) scatter[c][c] = 1;
  }
  return scatter;
}

// Gaussian elimination with row exchanges.
function solve(matrix, right) {
  const d = right.length;
  const rows = matrix.map((row, c) => [...row, right[c]]);
  for (let c = 0; c < d; c++) {
    let pivot = c;
    for (let r = c + 1; r < d; r++) {
      if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    }
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = c + 1; r < d; r++) {
      const factor = rows[r][c] / rows[c][c];
      for (let e = c; e <= d; e++) rows[r][e] -= factor * rows[c][e];
    }
  }
  const solution = new Float64Array(d);
  for (let c = d - 1; c >= 0; c--) {
    let value = rows[c][d];
    for (let e = c + 1; e < d; e++) value -= rows[c][e] * solution[e];
    solution[c] = value / rows[c][c];
  }
  return solution;
}
