"""Find the split of coordinates that best follows given labels. Compiled.

Every split has one form: left if w·z <= offset. A cut of one coordinate has a single
weight, +1, or -1 where its sides are swapped; all other terms are 0, so the
comparison is exactly that of the coordinate itself.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled

RIDGE = 1.0  # penalty on the squared weights of standardised coordinates
MOST_STEPS = 50
MOST_HALVINGS = 30
CONVERGED = 1e-8  # half the Newton decrement, in units of the log likelihood


@compiled
def best_axis_split(labels, order, ordered):
    """Cut one coordinate so that most samples agree with their labels.

    ``order[k]`` sorts the samples by coordinate k and ``ordered[k]`` holds the sorted
    values; cuts lie between distinct neighbours. One pass per coordinate: with c of
    the first p samples labelled left, the cut after them agrees with c of these and
    with all but (p - c) of the right ones; swapping its sides agrees with the others.

    Returns
    -------
    n_agree : int
        Samples that agree; -1 if no coordinate has two distinct values.
    component, position : int
        The coordinate, and the last sorted sample below the cut.
    swapped : bool
        Whether the upper side goes left.
    """
    n_components, n_samples = order.shape
    n_right = 0
    for i in range(n_samples):
        n_right += 1 - labels[i]
    n_agree, component, position, swapped = -1, 0, 0, False
    for k in range(n_components):
        n_left = 0
        for p in range(n_samples - 1):
            n_left += labels[order[k, p]]
            if ordered[k, p] < ordered[k, p + 1]:
                agree = n_right + 2 * n_left - (p + 1)
                if agree > n_agree:
                    n_agree, component, position, swapped = agree, k, p, False
                if n_samples - agree > n_agree:
                    n_agree, component = n_samples - agree, k
                    position, swapped = p, True
    return n_agree, component, position, swapped


@compiled
def offset_between(low, high, swapped):
    """Offset that parts two neighbours: z <= offset, or -z <= offset if swapped."""
    middle = 0.5 * low + 0.5 * high
    # The middle of adjacent doubles is one of them: it must stay on its own side.
    if swapped:
        return -middle if low < middle <= high else -high
    return middle if low <= middle < high else low


@compiled
def _log_loss(x, labels, beta):
    """Penalised negative log likelihood; the intercept is last and not penalised."""
    n_samples, n_weights = x.shape
    loss = 0.0
    for k in range(n_weights - 1):
        loss += 0.5 * RIDGE * beta[k] * beta[k]
    for i in range(n_samples):
        eta = 0.0
        for k in range(n_weights):
            eta += beta[k] * x[i, k]
        against = -eta if labels[i] else eta
        loss += max(against, 0.0) + np.log1p(np.exp(-abs(against)))
    return loss


@compiled
def _newton_step(x, labels, beta, gradient, hessian, step):
    """Write the Newton step into ``step`` and return half the Newton decrement."""
    n_samples, n_weights = x.shape
    gradient[:] = 0.0
    hessian[:] = 0.0
    for i in range(n_samples):
        eta = 0.0
        for k in range(n_weights):
            eta += beta[k] * x[i, k]
        share = 1.0 / (1.0 + np.exp(-eta)) if eta > -700.0 else 0.0
        weight = share * (1.0 - share)
        for k in range(n_weights):
            gradient[k] += (share - labels[i]) * x[i, k]
            for m in range(k + 1):
                hessian[k, m] += weight * x[i, k] * x[i, m]
    for k in range(n_weights - 1):
        hessian[k, k] += RIDGE
        gradient[k] += RIDGE * beta[k]
    # The intercept's curvature may vanish where all samples are sure.
    hessian[n_weights - 1, n_weights - 1] += 1e-8
    # Cholesky factor in place, then two triangular solves.
    for k in range(n_weights):
        for m in range(k + 1):
            total = hessian[k, m]
            for j in range(m):
                total -= hessian[k, j] * hessian[m, j]
            if k == m:
                hessian[k, k] = np.sqrt(max(total, 1e-12))
            else:
                hessian[k, m] = total / hessian[m, m]
    decrement = 0.0
    for k in range(n_weights):
        total = gradient[k]
        for j in range(k):
            total -= hessian[k, j] * step[j]
        step[k] = total / hessian[k, k]
        decrement += 0.5 * step[k] * step[k]
    for k in range(n_weights - 1, -1, -1):
        total = step[k]
        for j in range(k + 1, n_weights):
            total -= hessian[j, k] * step[j]
        step[k] = total / hessian[k, k]
    return decrement


@compiled
def logistic_weights(coords, labels, weights):
    """Fill ``weights`` by a logistic regression of the labels with a ridge.

    Coordinates are standardised first, and the weights are those of the original
    ones; low w·z speaks for left. A forest asks for thousands of these tiny fits, so
    they are damped Newton steps here: scikit-learn would take milliseconds for each.
    """
    n_samples, n_components = coords.shape
    x = np.empty((n_samples, n_components + 1))
    x[:, n_components] = 1.0
    scale = np.empty(n_components)
    for k in range(n_components):
        centre, scale[k] = coords[:, k].mean(), coords[:, k].std()
        # A coordinate that varies by rounding only gets no weight.
        if scale[k] <= 1e-12 * np.abs(coords[:, k]).max():
            scale[k] = np.inf
        for i in range(n_samples):
            x[i, k] = (coords[i, k] - centre) / scale[k]
    beta, trial = np.zeros(n_components + 1), np.empty(n_components + 1)
    gradient, step = np.empty(n_components + 1), np.empty(n_components + 1)
    hessian = np.empty((n_components + 1, n_components + 1))
    loss = _log_loss(x, labels, beta)
    for _ in range(MOST_STEPS):
        if _newton_step(x, labels, beta, gradient, hessian, step) < CONVERGED:
            break
        length, better = 1.0, False
        for _ in range(MOST_HALVINGS):
            trial[:] = beta - length * step
            trial_loss = _log_loss(x, labels, trial)
            if trial_loss < loss:
                better = True
                break
            length *= 0.5
        if not better:
            break
        beta[:] = trial
        loss = trial_loss
    for k in range(n_components):
        weights[k] = -beta[k] / scale[k]


@compiled
def fit_stand_in(coords, labels, order, ordered, logistic, weights):
    """Fill ``weights`` with the best split; return its offset and how many agree.

    Samples that all go one way get a split that sends everything there; so do, to the
    side of most, coordinates without two distinct values. Logistic weights are cut
    where most samples agree, as a coordinate is; if these are fewer than with the best
    cut of one coordinate, that is taken.
    """
    n_samples, n_components = coords.shape
    weights[:] = 0.0
    n_left = 0
    for i in range(n_samples):
        n_left += labels[i]
    n_agree, component, position, swapped = -1, 0, 0, False
    if 0 < n_left < n_samples:
        n_agree, component, position, swapped = best_axis_split(labels, order, ordered)
    if n_agree < 0:
        n_right = n_samples - n_left
        return np.inf if n_left >= n_right else -np.inf, max(n_left, n_right)
    if logistic:
        logistic_weights(coords, labels, weights)
        sums = np.zeros(n_samples)
        for i in range(n_samples):
            for k in range(n_components):
                sums[i] += weights[k] * coords[i, k]
        along = np.argsort(sums).reshape((1, n_samples))
        sorted_sums = sums[along[0]].reshape((1, n_samples))
        agree, _, last, mirrored = best_axis_split(labels, along, sorted_sums)
        if agree >= n_agree and np.isfinite(sums).all():
            # Rounding is symmetric: the sums of swapped weights are the swapped sums.
            if mirrored:
                weights[:] = -weights
            low, high = sorted_sums[0, last], sorted_sums[0, last + 1]
            return offset_between(low, high, mirrored), agree
        weights[:] = 0.0
    weights[component] = -1.0 if swapped else 1.0
    low, high = ordered[component, position], ordered[component, position + 1]
    return offset_between(low, high, swapped), n_agree
