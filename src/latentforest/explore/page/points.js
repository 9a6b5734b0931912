// Draw the points: by WebGL, or pixel by pixel where there is none.

const VERTEX = `
attribute vec2 place;
attribute vec4 colour;
uniform vec4 view;
uniform mediump float size;
varying vec4 shade;
void main() {
  shade = colour;
  gl_Position = vec4(place * view.xy + view.zw, 0.0, 1.0);
  if (colour.a == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size;
}`;
const FRAGMENT = `
precision mediump float;
uniform mediump float size;
uniform float strength;
varying vec4 shade;
void main() {
  float radius = length(gl_PointCoord - 0.5) * size;
  float cover = clamp(size * 0.5 - radius, 0.0, 1.0);
  float alpha = shade.a * strength * cover;
  gl_FragColor = vec4(shade.rgb * alpha, alpha);
}`;

// Few points are drawn large, many small; all grow a little when zoomed in.
function pointRadius(n, zoom) {
  const base = Math.min(4, Math.max(1.1, 16 / (n + 100) ** 0.25));
  return Math.min(6, base * Math.max(1, zoom) ** 0.25);
}

function pointStrength(n) {
  return n > 20000 ? 0.6 : 0.82;
}

// A graphics card that is only imitated is slower than the pixels below.
const IMITATED = /swiftshader|llvmpipe|software|basic render/i;

function hasGraphicsCard() {
  const gl = make('canvas').getContext('webgl', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  const lose = gl.getExtension('WEBGL_lose_context');
  if (lose) lose.loseContext();
  return !IMITATED.test(name);
}

// Which way to draw; a page address that ends in #webgl or #pixels decides by hand.
function makePainter(canvas, onLost) {
  const asked = window.location.hash.slice(1);
  if (asked === 'webgl' || (asked !== 'pixels' && hasGraphicsCard())) {
    const gl = canvas.getContext('webgl', { antialias: false, premultipliedAlpha: true });
    if (gl) {
      try {
        return new GlPainter(canvas, gl, onLost);
      } catch (error) {
        return new PixelPainter(onLost(false));
      }
    }
  }
  return new PixelPainter(canvas);
}

// Places of all rows from 0 to 1, so that single precision is enough.
function relativePlaces(view, rowAt) {
  const places = new Float32Array(2 * data.n);
  const spanX = view.boundsX[1] - view.boundsX[0];
  const spanY = view.boundsY[1] - view.boundsY[0];
  for (let k = 0; k < data.n; k++) {
    const row = rowAt(k);
    places[2 * k] = (view.x[row] - view.boundsX[0]) / spanX;
    places[2 * k + 1] = (view.y[row] - view.boundsY[0]) / spanY;
  }
  return places;
}

class GlPainter {
  constructor(canvas, gl, onLost) {
    this.name = 'webgl';
    this.canvas = canvas;
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error('no shader');
    gl.useProgram(program);
    this.uniform = (name) => gl.getUniformLocation(program, name);
    this.place = this.attribute(program, 'place', 2, gl.FLOAT, false);
    this.colour = this.attribute(program, 'colour', 4, gl.UNSIGNED_BYTE, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    canvas.addEventListener('webglcontextlost', () => onLost(true));
  }

  attribute(program, name, size, type, normalised) {
    const gl = this.gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, normalised, 0, 0);
    return buffer;
  }

  fill(buffer, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
  }

  setPlaces(view) {
    this.fill(this.place, relativePlaces(view, (k) => k));
  }

  setColours(colours) {
    this.fill(this.colour, colours);
  }

  draw(view, ratio) {
    const { gl, canvas } = this;
    const wide = Math.round(view.width * ratio);
    const high = Math.round(view.height * ratio);
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    gl.viewport(0, 0, wide, high);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [x, y] = view.toScreen(view.boundsX[0], view.boundsY[0]);
    const [right, top] = view.toScreen(view.boundsX[1], view.boundsY[1]);
    gl.uniform4f(
      this.uniform('view'),
      (2 * (right - x)) / view.width,
      (2 * (y - top)) / view.height,
      (2 * x) / view.width - 1,
      1 - (2 * y) / view.height,
    );
    gl.uniform1f(this.uniform('size'), 2 * pointRadius(data.n, view.zoom) * ratio + 1);
    gl.uniform1f(this.uniform('strength'), pointStrength(data.n));
    gl.drawArrays(gl.POINTS, 0, data.n);
    return true;
  }
}

// How much of each pixel around a point its disc covers, for four places of the
// middle along each side of a pixel: points move smoothly.
function makeStamps(radius) {
  const reach = Math.ceil(radius + 0.5);
  const side = 2 * reach + 1;
  return Array.from({ length: 16 }, (_, k) => {
    const [shiftX, shiftY] = [((k % 4) + 0.5) / 4, (Math.floor(k / 4) + 0.5) / 4];
    const stamp = [];
    for (let i = 0; i < side * side; i++) {
      const dx = (i % side) - reach + 0.5 - shiftX;
      const dy = Math.floor(i / side) - reach + 0.5 - shiftY;
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy)));
      if (cover > 0.02) stamp.push([(i % side) - reach, Math.floor(i / side) - reach, cover]);
    }
    return stamp;
  });
}

// Milliseconds per frame: what is left is painted in the frames that follow.
const BUDGET = 10;
const CHUNK = 2048;

// Rows in leaps, so that the first of them stand for all.
function leapingRows(n) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  let leap = Math.max(1, Math.round(0.6180339887498949 * n));
  while (divisor(leap, n) !== 1) leap++;
  const rows = new Int32Array(n);
  for (let k = 1; k < n; k++) rows[k] = (rows[k - 1] + leap) % n;
  return rows;
}

class PixelPainter {
  constructor(canvas) {
    this.name = 'pixels';
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.radius = 0;
    this.rows = leapingRows(data.n);
    this.colours = new Uint32Array(data.n);
  }

  setPlaces(view) {
    this.places = relativePlaces(view, (k) => this.rows[k]);
  }

  setColours(colours) {
    const packed = new Uint32Array(colours.buffer);
    for (let k = 0; k < data.n; k++) this.colours[k] = packed[this.rows[k]];
  }

  draw(view, ratio) {
    // Pixels cost time: one per screen pixel is enough for many points.
    const fine = data.n > 20000 ? 1 : Math.min(ratio, 2);
    const wide = Math.round(view.width * fine);
    const high = Math.round(view.height * fine);
    if (!this.image || this.image.width !== wide || this.image.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.image = this.context.createImageData(wide, high);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const radius = pointRadius(data.n, view.zoom) * fine;
    if (Math.abs(radius - this.radius) > 0.02) {
      this.radius = radius;
      this.stamp(makeStamps(radius), wide);
    } else if (this.wide !== wide) {
      this.stamp(makeStamps(radius), wide);
    }
    const [red, green, blue] = theme.ground;
    this.pixels.fill((255 << 24) | (blue << 16) | (green << 8) | red);
    const [left, bottom] = view.toScreen(view.boundsX[0], view.boundsY[0]);
    const [right, top] = view.toScreen(view.boundsX[1], view.boundsY[1]);
    this.shift = [left * fine, bottom * fine];
    this.scale = [(right - left) * fine, (top - bottom) * fine];
    this.painted = 0;
    return this.drawMore();
  }

  // Whether all is painted; if not, there is more to draw in the next frame.
  drawMore() {
    const end = performance.now() + BUDGET;
    do {
      const count = Math.min(CHUNK, data.n - this.painted);
      this.paint(this.painted, this.painted + count);
      this.painted += count;
    } while (this.painted < data.n && performance.now() < end);
    this.context.putImageData(this.image, 0, 0);
    return this.painted === data.n;
  }

  // Flatten the stamps: offsets into the pixels, and cover in 256ths.
  stamp(stamps, wide) {
    this.wide = wide;
    this.reach = Math.max(...stamps.flat().map(([dx]) => Math.abs(dx)));
    const strength = 256 * pointStrength(data.n);
    this.offsets = stamps.map((s) => Int32Array.from(s, ([dx, dy]) => dx + dy * wide));
    this.covers = stamps.map((s) => Int32Array.from(s, ([, , c]) => c * strength));
  }

  paint(begin, end) {
    const { places, colours, pixels, offsets, covers, reach } = this;
    const [shiftX, shiftY] = this.shift;
    const [scaleX, scaleY] = this.scale;
    const { width: wide, height: high } = this.image;
    for (let k = begin; k < end; k++) {
      const colour = colours[k];
      const alpha = colour >>> 24;
      const px = places[2 * k] * scaleX + shiftX;
      const py = places[2 * k + 1] * scaleY + shiftY;
      if (alpha === 0 || px < reach || py < reach) continue;
      if (px >= wide - reach - 1 || py >= high - reach - 1) continue;
      const column = px | 0;
      const line = py | 0;
      const which = (((px - column) * 4) | 0) + 4 * (((py - line) * 4) | 0);
      const at = column + line * wide;
      const offset = offsets[which];
      const cover = covers[which];
      const red = colour & 255;
      const green = (colour >> 8) & 255;
      const blue = (colour >> 16) & 255;
      for (let i = 0; i < offset.length; i++) {
        const pixel = pixels[at + offset[i]];
        const share = (cover[i] * alpha) >> 8;
        const r = pixel & 255;
        const g = (pixel >> 8) & 255;
        const b = (pixel >> 16) & 255;
        pixels[at + offset[i]] = (255 << 24)
          | ((b + (((blue - b) * share) >> 8)) << 16)
          | ((g + (((green - g) * share) >> 8)) << 8)
          | (r + (((red - r) * share) >> 8));
      }
    }
  }
}
