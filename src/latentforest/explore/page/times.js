// Dates and times: codes count ticks from an origin; people read them as text.

// Nanoseconds; ticks of some columns are too many for plain numbers.
const TICKS = {
  D: 86400000000000n, h: 3600000000000n, m: 60000000000n, s: 1000000000n,
  ms: 1000000n, us: 1000n, ns: 1n,
};
const FINE = Object.keys(TICKS);
const DIGITS = { ms: 3, us: 6, ns: 9 };
const SPANS = [['D', ' days'], ['h', ' h'], ['m', ' min'], ['s', ' s'], ['ms', ' ms'],
  ['us', ' µs'], ['ns', ' ns']];
const LAST_MS = 8640000000000000n;

function finer(one, other) {
  return FINE[Math.max(FINE.indexOf(one), FINE.indexOf(other))];
}

function floorDivide(value, by) {
  const whole = value / by;
  return whole * by > value ? whole - 1n : whole;
}

// Nanoseconds since 1970, since midnight, or of a length of time.
function sinceOf(time, code) {
  const tick = TICKS[time.unit];
  const count = BigInt(time.origin) + BigInt(Math.round(code));
  if (time.first_of) return nearestFirst(count, time.first_of) * tick;
  if (time.sort !== 'time') return count * tick;
  const last = TICKS.D / tick - 1n;
  return (count < 0n ? 0n : count > last ? last : count) * tick;
}

// The nearest first day of a month or year, the earlier if two are.
function nearestFirst(day, of) {
  const at = new Date(Number(day) * 86400000);
  if (Number.isNaN(at.getTime())) return day;
  const begin = (later) => {
    const first = new Date(0);
    const month = of === 'year' ? 12 * later : at.getUTCMonth() + later;
    first.setUTCFullYear(at.getUTCFullYear(), month, 1);
    return BigInt(first.getTime() / 86400000);
  };
  const [before, after] = [begin(0), begin(1)];
  return day - before <= after - day ? before : after;
}

// A code as text, on the clock of its zone, as Python writes it.
function formatTime(time, code) {
  let shown = time.unit === 'D' ? 'D' : finer(time.unit, 'm');
  let since = sinceOf(time, code);
  if (time.sort === 'duration') return lengthText(since, shown);
  if (time.sort === 'time') return clockText(since, shown);
  if (time.zone && !time.local && time.zone !== 'UTC') {
    since += offsetOf(time.zone, since);
    shown = finer(shown, 'm');
  }
  const day = floorDivide(since, TICKS.D);
  const date = dayText(day);
  return shown === 'D' ? date : `${date} ${clockText(since - day * TICKS.D, shown)}`;
}

// A code in the words of ISO 8601, as the command line writes it.
function isoTime(time, code) {
  const since = sinceOf(time, code);
  const clock = (length) => clockText(length, 'ns').replace(/\.?0+$/, '');
  if (time.sort === 'time') return clock(since);
  if (time.sort === 'duration') {
    const text = clock(since < 0n ? -since : since).replace(/^0(?=\d:)/, '');
    return (since < 0n ? '-' : '') + text;
  }
  if (time.unit === 'D' && !time.zone) return dayText(since / TICKS.D);
  let east = 0n;
  if (time.zone && time.zone !== 'UTC') {
    east = offsetOf(time.zone, since);
    if (time.local) east = offsetOf(time.zone, since - east);
  }
  const here = time.local ? since : since + east;
  const day = floorDivide(here, TICKS.D);
  const text = `${dayText(day)}T${clock(here - day * TICKS.D)}`;
  if (!time.zone) return text;
  const minutes = (east < 0n ? -east : east) / TICKS.m;
  return `${text}${east < 0n ? '-' : '+'}${clockText(minutes * TICKS.m, 'm')}`;
}

function dayText(day) {
  const ms = day * 86400000n;
  const near = ms > LAST_MS ? LAST_MS : ms < -LAST_MS ? -LAST_MS : ms;
  return new Date(Number(near)).toISOString().split('T')[0];
}

function clockText(since, shown) {
  const two = (value) => String(value).padStart(2, '0');
  const minutes = since / TICKS.m;
  const text = `${two(minutes / 60n)}:${two(minutes % 60n)}`;
  if (shown === 'm' || shown === 'D') return text;
  const digits = DIGITS[shown] || 0;
  const rest = String(since % TICKS.s).padStart(9, '0').slice(0, digits);
  return `${text}:${two((since / TICKS.s) % 60n)}${digits ? `.${rest}` : ''}`;
}

function lengthText(length, shown) {
  const size = length < 0n ? -length : length;
  const days = size / TICKS.D;
  const parts = days || shown === 'D' ? [`${days} ${days === 1n ? 'day' : 'days'}`] : [];
  if (shown !== 'D') parts.push(clockText(size % TICKS.D, shown));
  return (length < 0n ? '-' : '') + parts.join(' ');
}

// What clocks of a zone show, less UTC.
function offsetOf(zone, since) {
  const fixed = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  if (fixed) {
    const minutes = BigInt(60 * Number(fixed[2]) + Number(fixed[3]));
    return (fixed[1] === '-' ? -minutes : minutes) * TICKS.m;
  }
  const seconds = floorDivide(since, TICKS.s);
  const clock = clockOf(zone);
  if (!clock || seconds * 1000n > LAST_MS || seconds * 1000n < -LAST_MS) return 0n;
  const parts = {};
  clock.formatToParts(new Date(Number(seconds * 1000n))).forEach(({ type, value }) => {
    parts[type] = Number(value);
  });
  const shown = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute,
    parts.second);
  return (BigInt(shown) / 1000n - seconds) * TICKS.s;
}

const clocks = new Map();

// A browser that does not know the zone shows UTC.
function clockOf(zone) {
  if (!clocks.has(zone)) {
    let clock = null;
    try {
      clock = new Intl.DateTimeFormat('en-u-ca-iso8601', {
        timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
        hour: 'numeric', minute: 'numeric', second: 'numeric',
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    clocks.set(zone, clock);
  }
  return clocks.get(zone);
}

// A number of ticks, and parts of them, as a length of time in one unit.
function formatSpan(time, ticks) {
  const length = ticks * Number(TICKS[time.unit]);
  const [unit, name] = SPANS.find(([u]) => Math.abs(length) >= Number(TICKS[u]))
    || SPANS[FINE.indexOf(time.unit)];
  return formatRough(length / Number(TICKS[unit])) + name;
}
