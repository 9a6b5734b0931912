// The keyboard, and the controls above the plot.

const NUDGE = 40; // pixels per arrow key
const KEY_ZOOM = 1.25;

function zoomBy(factor) {
  view.zoomAt(view.middleX, view.middleY, factor);
  redraw();
}

function resetView() {
  view.reset();
  redraw();
}

const KEYS = {
  ArrowLeft: () => view.pan(NUDGE, 0),
  ArrowRight: () => view.pan(-NUDGE, 0),
  ArrowUp: () => view.pan(0, NUDGE),
  ArrowDown: () => view.pan(0, -NUDGE),
  '+': () => zoomBy(KEY_ZOOM),
  '=': () => zoomBy(KEY_ZOOM),
  '-': () => zoomBy(1 / KEY_ZOOM),
  0: resetView,
  s: selectInSight,
  S: selectInSight,
  Enter: () => decodePixel([view.middleX, view.middleY]),
  ' ': () => decodePixel([view.middleX, view.middleY]),
};

function listenToKeys() {
  const plot = byId('over');
  plot.addEventListener('keydown', (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    state.keyboard = true;
    setHover(-1);
    act();
    redraw();
  });
  plot.addEventListener('focus', () => {
    state.keyboard = plot.matches(':focus-visible');
    redraw();
  });
  plot.addEventListener('blur', () => {
    state.keyboard = false;
    redraw();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    clearSelection();
    endWalk();
    clearDecoded();
    setHover(-1);
    redraw();
  });
}

function option(value, text) {
  const item = make('option', '', text);
  item.value = value;
  return item;
}

function buildControls() {
  const [x, y] = [byId('axis-x'), byId('axis-y')];
  data.coords.forEach((_, c) => {
    x.append(option(c, axisName(c)));
    y.append(option(c, axisName(c)));
  });
  if (data.coords.length === 1) y.append(option(NO_AXIS, 'rows spread out'));
  [x.value, y.value] = view.axes;
  if (data.coords.length === 1) y.value = NO_AXIS;
  for (const choice of [x, y]) {
    choice.disabled = data.coords.length === 1;
    choice.addEventListener('change', () => changeAxes(Number(x.value), Number(y.value)));
  }
  const colour = byId('colour');
  colour.append(option(-1, 'nothing'));
  data.columns.forEach((column, j) => colour.append(option(j, column.name)));
  colour.value = data.color === null ? -1 : data.color;
  colour.addEventListener('change', () => changeColour(Number(colour.value)));
  document.getElementsByName('tool').forEach((choice) => {
    choice.addEventListener('change', () => changeTool(choice.value));
  });
  byId('zoom-in').addEventListener('click', () => zoomBy(KEY_ZOOM ** 2));
  byId('zoom-out').addEventListener('click', () => zoomBy(KEY_ZOOM ** -2));
  byId('zoom-reset').addEventListener('click', resetView);
  byId('selection-end').addEventListener('click', () => clearSelection());
  byId('theme').addEventListener('click', () => setTheme(!theme.isDark));
  byId('pixel-list').addEventListener('toggle', () => {
    if (byId('pixel-list').open && state.decoded) {
      fillCells(byId('cells'), state.decoded.cells, state.decoded.row, null);
    }
  });
}

function changeAxes(x, y) {
  view.setAxes(x, y);
  painter.setPlaces(view);
  setHover(-1);
  redraw();
}

function changeColour(number) {
  state.colouring = makeColouring(number < 0 ? null : data.columns[number]);
  buildLegend();
  recolour();
}

const TOOL_HINTS = {
  pan: 'Drag to move, wheel or pinch to zoom, click to decode, shift and drag to select.',
  box: 'Drag a box around rows to compare them with the rest.',
  lasso: 'Draw around rows to compare them with the rest.',
  walk: 'Drag from one place to another to see the rows on the way.',
};

function changeTool(tool) {
  state.tool = tool;
  if (tool === 'box' || tool === 'lasso') state.shiftTool = tool;
  byId('over').dataset.tool = tool;
  byId('tool-hint').textContent = TOOL_HINTS[tool];
}

// A level per button, which hides and shows it; for numbers the ramp and its ends.
function buildLegend() {
  const box = byId('legend');
  box.replaceChildren();
  const { column, groups, low, high } = state.colouring;
  if (!column) return;
  if (groups === null) {
    const ramp = make('span', 'ramp');
    const stops = [0, 51, 102, 153, 204, 255].map((k) => cssColour(ramps[k]));
    ramp.style.background = `linear-gradient(90deg, ${stops.join(',')})`;
    box.append(make('span', '', formatCell(column, low)), ramp,
      make('span', '', formatCell(column, high)));
    return;
  }
  groups.forEach((group) => {
    const button = make('button', 'chip');
    button.type = 'button';
    const dot = make('span', 'swatch');
    dot.style.background = cssColour(group.colour || missingColour());
    button.append(dot, make('span', 'level', group.label),
      make('span', 'count', group.count.toLocaleString('en')));
    button.setAttribute('aria-pressed', String(!group.hidden));
    button.title = 'hide or show';
    button.addEventListener('click', () => {
      group.hidden = !group.hidden;
      button.setAttribute('aria-pressed', String(!group.hidden));
      recolour();
    });
    box.append(button);
  });
}
