// A walk along the line between two positions.

const WALK_STEPS = 40;

function startWalk(from, to) {
  state.walk = { from, to, step: 0, before: decodeAt(data.decoder, from) };
  byId('walk').hidden = false;
  byId('walk-step').max = WALK_STEPS;
  goTo(0);
}

function goTo(step) {
  const { from, to, before } = state.walk;
  const share = step / WALK_STEPS;
  state.walk.step = step;
  byId('walk-step').value = step;
  byId('walk-text').textContent = `${Math.round(100 * share)}% of the way`;
  // The ends are hit exactly.
  const position = share === 1 ? to : from.map((z, c) => z + share * (to[c] - z));
  showDecoded(position, -1, -1, before);
}

function endWalk() {
  state.walk = null;
  byId('walk').hidden = true;
}

function listenToWalk() {
  byId('walk-step').addEventListener('input', (event) => {
    goTo(event.target.valueAsNumber);
  });
  byId('walk-end').addEventListener('click', () => {
    endWalk();
    redraw();
  });
  byId('walk-from').addEventListener('click', () => {
    if (!state.decoded) decodeInputs();
    if (!state.decoded) return;
    state.walkFrom = state.decoded.position;
    byId('walk-to').disabled = false;
    announce('The walk starts here. Choose another position, then walk to here.');
  });
  byId('walk-to').addEventListener('click', () => {
    startWalk(state.walkFrom, state.decoded.position);
    byId('walk-step').focus();
  });
}
