// Mouse, pen and touch.

const CLICK_REACH = 8; // pixels from a point that still count as the point
const STILL = 5; // pixels that a click may slip

const pointers = new Map(); // those that are down: id to place
let press = null; // where the first one went down, and what it does
let pinch = null; // distance and middle of two fingers

function placeOf(event) {
  const box = byId('over').getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function listenToPointer() {
  const plot = byId('over');
  plot.addEventListener('pointerdown', onDown);
  plot.addEventListener('pointermove', onMove);
  plot.addEventListener('pointerup', onUp);
  plot.addEventListener('pointercancel', onCancel);
  plot.addEventListener('pointerleave', () => setHover(-1));
  plot.addEventListener('wheel', onWheel, { passive: false });
  plot.addEventListener('dblclick', (event) => event.preventDefault());
}

function onDown(event) {
  if (event.button !== 0) return;
  state.keyboard = false;
  byId('over').setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, placeOf(event));
  if (pointers.size === 2) {
    state.shape = null;
    press = null;
    pinch = pinchOf();
    return;
  }
  const place = placeOf(event);
  press = { start: place, last: place, moved: false, does: whatDragDoes(event) };
}

function whatDragDoes(event) {
  if (state.tool !== 'pan' && state.tool !== 'walk') return state.tool;
  return event.shiftKey ? state.shiftTool : state.tool;
}

function pinchOf() {
  const [[ax, ay], [bx, by]] = [...pointers.values()];
  return {
    apart: Math.max(1, Math.hypot(ax - bx, ay - by)),
    x: (ax + bx) / 2,
    y: (ay + by) / 2,
  };
}

function onMove(event) {
  const place = placeOf(event);
  if (!pointers.has(event.pointerId)) {
    if (event.pointerType !== 'touch') hoverAt(place);
    return;
  }
  pointers.set(event.pointerId, place);
  if (pinch && pointers.size === 2) {
    const now = pinchOf();
    view.pan(now.x - pinch.x, now.y - pinch.y);
    view.zoomAt(now.x, now.y, now.apart / pinch.apart);
    pinch = now;
    redraw();
    return;
  }
  if (press) drag(place);
}

function drag(place) {
  const { start, last } = press;
  if (!press.moved && Math.hypot(place[0] - start[0], place[1] - start[1]) < STILL) return;
  press.moved = true;
  setHover(-1);
  state.shapeKind = press.does;
  if (press.does === 'pan') view.pan(place[0] - last[0], place[1] - last[1]);
  else if (press.does === 'box') state.shape = boxShape(start, place);
  else if (press.does === 'walk') state.shape = [start, place];
  else if (!state.shape) state.shape = [start, place];
  else if (Math.hypot(place[0] - last[0], place[1] - last[1]) > 3) state.shape.push(place);
  else return;
  press.last = place;
  redraw();
}

function onUp(event) {
  if (!pointers.delete(event.pointerId)) return;
  const { shape } = state;
  state.shape = null;
  if (pinch) {
    if (pointers.size === 0) pinch = null;
    press = null;
    return;
  }
  if (!press) return;
  const { start, moved, does } = press;
  press = null;
  if (!moved) decodePixel(start);
  else if (does === 'walk') walkBetween(start, placeOf(event));
  else if (does !== 'pan' && shape) select(shape);
  redraw();
}

function onCancel(event) {
  pointers.delete(event.pointerId);
  if (pointers.size === 0) pinch = null;
  press = null;
  state.shape = null;
  redraw();
}

function onWheel(event) {
  event.preventDefault();
  const [x, y] = placeOf(event);
  const lines = event.deltaMode === 1 ? 16 : 1;
  const amount = Math.min(Math.max(event.deltaY * lines, -200), 200);
  view.zoomAt(x, y, Math.exp(-amount * 0.002));
  setHover(-1);
  redraw();
}

// The position under a pixel: that of a point, or with the other coordinates of the
// nearest point.
function positionAt([px, py]) {
  const row = view.rowAt(px, py, CLICK_REACH, isHidden);
  const near = row >= 0 ? row : view.nearestRow(px, py, isHidden);
  const position = Float64Array.from(data.coords, (axis) => axis[Math.max(near, 0)]);
  const [x, y] = view.toData(px, py);
  state.freeY = row >= 0 ? view.y[row] : y;
  if (row < 0) {
    position[view.axes[0]] = x;
    if (view.axes[1] !== NO_AXIS) position[view.axes[1]] = y;
  }
  return { position, row, near };
}

function decodePixel(place) {
  const { position, row, near } = positionAt(place);
  endWalk();
  showDecoded(position, row, near);
}

function walkBetween(start, end) {
  startWalk(positionAt(start).position, positionAt(end).position);
}

let hoverPlace = null;

// Looked up once per frame, however often the pointer moves.
function hoverAt(place) {
  const waiting = hoverPlace !== null;
  hoverPlace = place;
  if (waiting) return;
  window.requestAnimationFrame(() => {
    const [px, py] = hoverPlace;
    hoverPlace = null;
    if (press) return;
    setHover(view.rowAt(px, py, CLICK_REACH, isHidden));
  });
}

function setHover(row) {
  if (state.hover === row) return;
  state.hover = row;
  const tip = byId('tip');
  tip.hidden = row < 0;
  if (row >= 0) {
    fillTooltip(tip, row);
    const [x, y] = view.toScreen(view.x[row], view.y[row]);
    const right = x + 18 + tip.offsetWidth > view.width;
    const left = right ? Math.max(4, x - 18 - tip.offsetWidth) : x + 18;
    const top = Math.min(Math.max(4, y - 20), Math.max(4, view.height - tip.offsetHeight - 4));
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
  redraw();
}
