// What lies over the points: axes, marks, lines that are being drawn.

function niceStep(span, wanted) {
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough);
  return factor * power;
}

function tickText(value, step) {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (decimals > 6 || Math.abs(value) >= 1e6) return value.toExponential(1);
  return (Math.abs(value) < step / 2 ? 0 : value).toFixed(decimals).replace('-', '−');
}

class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
  }

  draw(view, ratio) {
    const { canvas, pen } = this;
    const wide = Math.round(view.width * ratio);
    const high = Math.round(view.height * ratio);
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    this.drawWalk(view);
    this.drawShape(view);
    this.drawMarks(view);
    this.drawAxes(view);
    if (state.keyboard) this.drawCross(view.middleX, view.middleY, theme.ink, 9);
  }

  drawAxes(view) {
    const { pen } = this;
    const right = view.width;
    const bottom = view.height - MARGIN.bottom;
    pen.fillStyle = cssColour(theme.ground);
    pen.fillRect(0, 0, MARGIN.left, view.height);
    pen.fillRect(0, bottom, right, MARGIN.bottom);
    pen.strokeStyle = theme.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(MARGIN.left + 0.5, 0);
    pen.lineTo(MARGIN.left + 0.5, bottom + 0.5);
    pen.lineTo(right, bottom + 0.5);
    pen.stroke();
    pen.fillStyle = theme.soft;
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    const [left, top] = view.toData(MARGIN.left, 0);
    const [farX, low] = view.toData(right, bottom);
    this.eachTick(left, farX, (right - MARGIN.left) / 90, (value, text) => {
      const [x] = view.toScreen(value, 0);
      if (x < MARGIN.left + 12 || x > right - 16) return;
      pen.fillRect(Math.round(x), bottom, 1, 4);
      pen.fillText(text, x, bottom + 8);
    });
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    this.drawTitle(axisName(view.axes[0]), right - 8, bottom - 10);
    if (view.axes[1] === NO_AXIS) return;
    pen.textAlign = 'left';
    this.drawTitle(axisName(view.axes[1]), MARGIN.left + 8, 12);
    pen.textAlign = 'right';
    this.eachTick(low, top, bottom / 70, (value, text) => {
      const [, y] = view.toScreen(0, value);
      if (y < 10 || y > bottom - 8) return;
      pen.fillRect(MARGIN.left - 4, Math.round(y), 4, 1);
      pen.fillText(text, MARGIN.left - 8, y);
    });
  }

  // A title stands out from the points; too long for the plot, it ends in an ellipsis.
  drawTitle(text, x, y) {
    const { pen } = this;
    const room = view.width - MARGIN.left - 16;
    let shown = text;
    for (let length = text.length - 1; pen.measureText(shown).width > room && length; length--) {
      shown = `${text.slice(0, length)}…`;
    }
    pen.strokeStyle = cssColour(theme.ground);
    pen.lineWidth = 4;
    pen.lineJoin = 'round';
    pen.globalAlpha = 0.75; // points below it are still seen
    pen.strokeText(shown, x, y);
    pen.globalAlpha = 1;
    pen.fillText(shown, x, y);
  }

  eachTick(low, high, wanted, see) {
    const step = niceStep(high - low, Math.max(2, wanted));
    for (let k = Math.ceil(low / step); k * step <= high; k++) {
      see(k * step, tickText(k * step, step));
    }
  }

  // A position on the two axes that are shown.
  place(view, position) {
    const [x, y] = view.axes;
    return view.toScreen(position[x], y === NO_AXIS ? state.freeY : position[y]);
  }

  drawMarks(view) {
    if (state.hover >= 0) {
      const [x, y] = view.toScreen(view.x[state.hover], view.y[state.hover]);
      this.drawRing(x, y, pointRadius(data.n, view.zoom) + 3, theme.ink, 1.5);
    }
    if (state.decoded) {
      const [x, y] = this.place(view, state.decoded.position);
      this.drawRing(x, y, 9, cssColour(theme.ground), 5);
      this.drawRing(x, y, 9, theme.accent, 2.5);
      this.drawCross(x, y, theme.accent, 3);
    }
  }

  drawRing(x, y, radius, colour, width) {
    const { pen } = this;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
  }

  drawCross(x, y, colour, size) {
    const { pen } = this;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x - size, y);
    pen.lineTo(x + size, y);
    pen.moveTo(x, y - size);
    pen.lineTo(x, y + size);
    pen.stroke();
  }

  // The box, lasso or line that is being drawn, in pixels.
  drawShape() {
    const { pen } = this;
    if (!state.shape || state.shape.length < 2) return;
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1.5;
    pen.setLineDash(state.shapeKind === 'walk' ? [6, 4] : []);
    pen.beginPath();
    state.shape.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (state.shapeKind !== 'walk') {
      pen.closePath();
      pen.fillStyle = theme.wash;
      pen.fill();
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  drawWalk(view) {
    if (!state.walk) return;
    const { pen } = this;
    const from = this.place(view, state.walk.from);
    const to = this.place(view, state.walk.to);
    for (const [colour, width] of [[cssColour(theme.ground), 6], [theme.accent, 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      pen.stroke();
    }
    pen.fillStyle = theme.accent;
    for (const end of [from, to]) {
      pen.beginPath();
      pen.arc(...end, 4, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}
