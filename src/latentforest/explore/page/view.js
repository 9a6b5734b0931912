// Where things are on the screen: axes, pan and zoom, and the nearest point.

const NO_AXIS = -1;
const MARGIN = { left: 46, right: 14, top: 14, bottom: 30 };
const DEEPEST = 5000; // deeper, single precision would show

// Rows spread over the free axis when there is only one coordinate.
function spreadRows(n) {
  return Float64Array.from({ length: n }, (_, row) => (row * 0.6180339887498949) % 1);
}

class View {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.spread = null;
    this.setAxes(0, data.coords.length > 1 ? 1 : NO_AXIS);
  }

  setAxes(x, y) {
    this.axes = [x, y];
    this.x = this.axis(x);
    this.y = this.axis(y);
    this.boundsX = rangeOf(this.x);
    this.boundsY = rangeOf(this.y);
    this.grid = null;
    this.reset();
  }

  axis(number) {
    if (number !== NO_AXIS) return data.coords[number];
    this.spread = this.spread || spreadRows(data.n);
    return this.spread;
  }

  reset() {
    this.zoom = 1;
    this.centreX = (this.boundsX[0] + this.boundsX[1]) / 2;
    this.centreY = (this.boundsY[0] + this.boundsY[1]) / 2;
  }

  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  // Pixels per unit.
  get scaleX() {
    const room = Math.max(40, this.width - MARGIN.left - MARGIN.right - 16);
    return (this.zoom * room) / (this.boundsX[1] - this.boundsX[0]);
  }

  get scaleY() {
    const room = Math.max(40, this.height - MARGIN.top - MARGIN.bottom - 16);
    return (this.zoom * room) / (this.boundsY[1] - this.boundsY[0]);
  }

  get middleX() {
    return (MARGIN.left + this.width - MARGIN.right) / 2;
  }

  get middleY() {
    return (MARGIN.top + this.height - MARGIN.bottom) / 2;
  }

  toScreen(x, y) {
    return [
      this.middleX + (x - this.centreX) * this.scaleX,
      this.middleY - (y - this.centreY) * this.scaleY,
    ];
  }

  toData(px, py) {
    return [
      this.centreX + (px - this.middleX) / this.scaleX,
      this.centreY - (py - this.middleY) / this.scaleY,
    ];
  }

  pan(dx, dy) {
    this.centreX -= dx / this.scaleX;
    this.centreY += dy / this.scaleY;
    this.keepNear();
  }

  zoomAt(px, py, factor) {
    const [x, y] = this.toData(px, py);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.2), DEEPEST);
    const [nowX, nowY] = this.toScreen(x, y);
    this.pan(px - nowX, py - nowY);
  }

  // The points cannot be lost out of sight.
  keepNear() {
    this.centreX = Math.min(Math.max(this.centreX, this.boundsX[0]), this.boundsX[1]);
    this.centreY = Math.min(Math.max(this.centreY, this.boundsY[0]), this.boundsY[1]);
  }

  // The visible row nearest to a pixel, at most `reach` pixels away, or -1.
  rowAt(px, py, reach, isHidden) {
    this.grid = this.grid || new Grid(this.x, this.y, this.boundsX, this.boundsY);
    const [left, top] = this.toData(px - reach, py - reach);
    const [right, bottom] = this.toData(px + reach, py + reach);
    const [x, y] = this.toData(px, py);
    let best = -1;
    let least = reach * reach;
    this.grid.visit(left, bottom, right, top, (row) => {
      const dx = (this.x[row] - x) * this.scaleX;
      const dy = (this.y[row] - y) * this.scaleY;
      const square = dx * dx + dy * dy;
      if (square <= least && !isHidden(row)) {
        least = square;
        best = row;
      }
    });
    return best;
  }

  // The visible row nearest to a pixel, however far away, or -1.
  nearestRow(px, py, isHidden) {
    for (let reach = 16; reach < 4096; reach *= 4) {
      const row = this.rowAt(px, py, reach, isHidden);
      if (row >= 0) return row;
    }
    return this.rowAt(px, py, Infinity, isHidden);
  }
}

function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

// Rows sorted into the cells of a square grid.
class Grid {
  constructor(x, y, boundsX, boundsY) {
    this.side = Math.min(512, Math.max(1, Math.round(Math.sqrt(x.length / 2))));
    this.boundsX = boundsX;
    this.boundsY = boundsY;
    const start = new Int32Array(this.side * this.side + 1);
    const cell = new Int32Array(x.length);
    for (let row = 0; row < x.length; row++) {
      cell[row] = this.line(x[row], boundsX) + this.side * this.line(y[row], boundsY);
      start[cell[row] + 1]++;
    }
    for (let k = 1; k < start.length; k++) start[k] += start[k - 1];
    this.start = start.slice();
    this.rows = new Int32Array(x.length);
    for (let row = 0; row < x.length; row++) this.rows[start[cell[row]]++] = row;
  }

  line(value, [low, high]) {
    const line = Math.floor(((value - low) / (high - low)) * this.side);
    return Math.min(Math.max(line, 0), this.side - 1);
  }

  visit(left, bottom, right, top, see) {
    const lastX = this.line(right, this.boundsX);
    const lastY = this.line(top, this.boundsY);
    for (let v = this.line(bottom, this.boundsY); v <= lastY; v++) {
      for (let u = this.line(left, this.boundsX); u <= lastX; u++) {
        const cell = u + this.side * v;
        for (let k = this.start[cell]; k < this.start[cell + 1]; k++) see(this.rows[k]);
      }
    }
  }
}
