// Start: read the data, build the page, draw.

const data = readData();
const theme = {};
const state = {
  tool: 'pan',
  shiftTool: 'box',
  hover: -1,
  decoded: null,
  selected: null,
  summary: null,
  shape: null,
  shapeKind: 'box',
  walk: null,
  walkFrom: null,
  keyboard: false,
  freeY: 0.5,
  colouring: null,
};
const colours = new Uint8Array(4 * data.n);
const view = new View();
const overlay = new Overlay(byId('over'));
let painter = null;
let isWaiting = false; // for the next frame
let isStale = true; // what is drawn is not what there is

function redraw() {
  isStale = true;
  if (!isWaiting) window.requestAnimationFrame(drawFrame);
  isWaiting = true;
}

function drawFrame() {
  const ratio = window.devicePixelRatio || 1;
  const isDone = isStale ? painter.draw(view, ratio) : painter.drawMore();
  if (isStale) overlay.draw(view, ratio);
  isStale = false;
  isWaiting = !isDone;
  if (isWaiting) window.requestAnimationFrame(drawFrame);
}

function recolour() {
  fillColours(state.colouring, state.selected, colours);
  painter.setColours(colours);
  redraw();
}

function isHidden(row) {
  return colours[4 * row + 3] === 0;
}

// A canvas that once had a context of one kind cannot get another: take a new one.
function replaceCanvas(start) {
  const canvas = make('canvas');
  canvas.id = 'points';
  byId('points').replaceWith(canvas);
  if (start) {
    painter = new PixelPainter(canvas);
    painter.setPlaces(view);
    recolour();
  }
  return canvas;
}

function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  const style = window.getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  Object.assign(theme, {
    isDark,
    ground: get('--ground-rgb').split(' ').map(Number),
    ink: get('--ink'),
    soft: get('--soft'),
    line: get('--line'),
    accent: get('--accent'),
    wash: get('--wash'),
  });
  byId('theme').textContent = isDark ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-label', `Use ${isDark ? 'light' : 'dark'} colours`);
  buildRamp();
  if (state.colouring) {
    buildLegend();
    recolour();
  }
}

function start() {
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
  setTheme(prefersDark.matches);
  prefersDark.addEventListener('change', (event) => setTheme(event.matches));
  const rows = `${data.n.toLocaleString('en')} rows, ${data.columns.length} columns`;
  byId('title').textContent = data.title;
  byId('size').textContent = rows;
  document.body.classList.toggle('has-image', Boolean(data.image));
  byId('decoded-picture').hidden = !data.image;
  byId('pixel-list').open = !data.image;
  painter = makePainter(byId('points'), replaceCanvas);
  painter.setPlaces(view);
  buildControls();
  buildPosition();
  fillNotes();
  changeTool('pan');
  changeColour(data.color === null ? -1 : data.color);
  listenToPointer();
  listenToKeys();
  listenToWalk();
  listenToExport();
  new ResizeObserver(([entry]) => {
    view.resize(entry.contentRect.width, entry.contentRect.height);
    redraw();
  }).observe(byId('plot'));
}

start();

// For other programs on this page, such as tests.
window.latentforest = {
  decode: describeRow,
  position: () => state.decoded && [...state.decoded.position],
  place: (x, y) => view.toScreen(x, y),
  rowPlace: (row) => view.toScreen(view.x[row], view.y[row]),
  selected: () => [...data.coords[0].keys()].filter((row) => state.selected && state.selected[row]),
  summary: () => state.summary,
  rowNumber,
  rowName,
  painter: () => painter.name,
};
