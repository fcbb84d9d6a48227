// Drawing on canvases: axes, lines, bars, dots, pictures, points and trees, in the page's colours.

const FONT = "11px system-ui, sans-serif"
const LOOK = ["ink", "faint", "grid", "paper", "unassigned", "must_link", "cannot_link", "broken", "mark", "upper", "lower"]

// The colours where an element stands.
function look(at) {
  const style = getComputedStyle(at)
  return Object.fromEntries(LOOK.map((name) => [name, style.getPropertyValue(`--look-${name}`).trim()]))
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value)
    else made.setAttribute(key, value)
  }
  made.append(...children) // texts become text nodes: nothing here is ever markup
  return made
}

// --- Axes -----------------------------------------------------------------------------------

function ticks(low, high, many) {
  const rough = (high - low) / Math.max(1, many)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)
  const found = []
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++) found.push(at * step)
  return {found, digits: Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)))}
}

function logTicks(low, high, many) {
  const found = []
  const [first, end] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)]
  const step = Math.max(1, Math.ceil((end - first) / many))
  for (let power = first; power <= end; power += step) found.push(power)
  return found
}

function widened([low, high], share = 0.05) {
  if (!(high > low)) return [low - (Math.abs(low) * 1e-3 || 1), high + (Math.abs(high) * 1e-3 || 1)]
  return [low - share * (high - low), high + share * (high - low)]
}

function extent(lists) {
  let low = Infinity
  let high = -Infinity
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return low <= high ? [low, high] : null
}

// A canvas with axes. `paint(chart)` says what it shows: it calls `range` and then draws.
class Chart {
  constructor({label, height, paint, tip, pick, zoom = false, key}) {
    Object.assign(this, {label, paint, tip, pick, zoomable: zoom, view: null})
    this.canvas = element("canvas", {role: "img", "aria-label": label})
    this.hint = element("div", {class: "tip", role: "presentation", hidden: ""})
    this.box = element("figure", {class: "chart"}, this.canvas, this.hint)
    this.box.style.height = `${height}px`
    new ResizeObserver(() => this.draw()).observe(this.box)
    this.canvas.addEventListener("pointermove", (event) => this.onMove(event))
    this.canvas.addEventListener("pointerleave", () => { this.hint.hidden = true })
    this.canvas.addEventListener("click", (event) => this.onClick(event))
    if (key) {
      this.canvas.tabIndex = 0
      this.canvas.addEventListener("keydown", key)
    }
    if (zoom) this.letZoom()
  }

  letZoom() {
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && this.canvas.getRootNode().activeElement !== this.canvas && !this.view) return
      event.preventDefault()
      this.zoom(Math.exp(event.deltaY * 0.002), event.offsetX, event.offsetY)
    }, {passive: false})
    this.canvas.addEventListener("dblclick", () => {
      this.view = null
      this.draw()
    })
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = {x: event.offsetX, y: event.offsetY, moved: false}
    })
    this.canvas.addEventListener("pointerup", () => {
      this.dragged = Boolean(this.drag && this.drag.moved) // the click that follows picks nothing
      this.drag = null
    })
    this.canvas.style.touchAction = "pan-y"
  }

  zoom(share, x, y) {
    const scaled = ([low, high], at) => [at + (low - at) * share, at + (high - at) * share]
    this.view = {x: scaled(this.x, this.unX(x)), y: scaled(this.y, this.unY(y))}
    this.draw()
  }

  pan(dx, dy) {
    const [wide, high] = [(this.x[1] - this.x[0]) / this.inner.w, (this.y[1] - this.y[0]) / this.inner.h]
    this.view = {x: this.x.map((at) => at - dx * wide), y: this.y.map((at) => at + dy * high * (this.flip ? -1 : 1))}
    this.draw()
  }

  onMove(event) {
    if (this.drag && event.buttons) {
      const [dx, dy] = [event.offsetX - this.drag.x, event.offsetY - this.drag.y]
      if (this.drag.moved || Math.hypot(dx, dy) > 4) {
        this.pan(dx, dy)
        this.drag = {x: event.offsetX, y: event.offsetY, moved: true}
      }
      return
    }
    const words = this.tip && this.inner && this.tip(this, event.offsetX, event.offsetY)
    this.tell(words, event.offsetX, event.offsetY)
  }

  // Words beside a place, none if there are none.
  tell(words, x, y) {
    this.hint.hidden = !words
    if (!words) return
    this.hint.textContent = words
    const left = x > this.canvas.clientWidth / 2
    this.hint.style.left = left ? "auto" : `${x + 14}px`
    this.hint.style.right = left ? `${this.canvas.clientWidth - x + 14}px` : "auto"
    this.hint.style.top = `${y + 12}px`
  }

  onClick(event) {
    if (this.pick && this.inner && !this.dragged) this.pick(this, event.offsetX, event.offsetY)
  }

  say(label) {
    this.canvas.setAttribute("aria-label", label)
  }

  // The ranges of both axes, unless the reader has zoomed; `log` holds powers of ten upright.
  range(x, y, {xLabel = "", yLabel = "", log = false, flip = false, axes = "xy", square = false} = {}) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight]
    Object.assign(this, {log, flip, x: this.view ? this.view.x : x, y: this.view ? this.view.y : y})
    const wide = axes.includes("y") ? this.room(height, yLabel) : 8
    const inner = {left: wide, top: 8, w: Math.max(10, width - wide - 10), h: Math.max(10, height - (axes.includes("x") ? 40 : 8) - 8)}
    if (square) {
      const side = Math.min(inner.w, inner.h)
      Object.assign(inner, {left: inner.left + (inner.w - side) / 2, w: side, h: side})
    }
    this.inner = inner
    this.frame(xLabel, yLabel, axes)
  }

  X(at) { return this.inner.left + this.inner.w * (at - this.x[0]) / (this.x[1] - this.x[0]) }
  Y(at) {
    const share = ((this.log ? Math.log10(at) : at) - this.y[0]) / (this.y[1] - this.y[0])
    return this.inner.top + this.inner.h * (this.flip ? share : 1 - share)
  }
  unX(at) { return this.x[0] + (at - this.inner.left) / this.inner.w * (this.x[1] - this.x[0]) }
  unY(at) {
    const share = (at - this.inner.top) / this.inner.h
    return this.y[0] + (this.flip ? share : 1 - share) * (this.y[1] - this.y[0])
  }

  frame(xLabel, yLabel, axes) {
    const {pen, colors, inner} = this
    pen.strokeStyle = colors.grid
    pen.fillStyle = colors.faint
    pen.lineWidth = 1
    pen.font = FONT
    pen.strokeRect(inner.left, inner.top, inner.w, inner.h)
    if (axes.includes("x")) this.xAxis(xLabel)
    if (axes.includes("y")) this.yAxis(yLabel)
  }

  xAxis(label) {
    const {pen, inner} = this
    const {found, digits} = ticks(...this.x, inner.w / 90)
    pen.textAlign = "center"
    for (const at of found) {
      this.stroke([[this.X(at), inner.top], [this.X(at), inner.top + inner.h]])
      pen.fillText(at.toFixed(digits), this.X(at), inner.top + inner.h + 14)
    }
    pen.fillText(label, inner.left + inner.w / 2, inner.top + inner.h + 30)
  }

  yMarks(tall) {
    if (this.log) return logTicks(...this.y, tall / 30).map((power) => [10 ** power, `1e${power}`])
    const {found, digits} = ticks(...this.y, tall / 40)
    return found.map((at) => [at, at.toFixed(digits)])
  }

  // How much the numbers of the vertical axis need, and its words beside them.
  room(tall, label) {
    this.pen.font = FONT
    const wide = this.yMarks(tall).map(([, words]) => this.pen.measureText(words).width)
    return Math.max(24, ...wide) + (label ? 26 : 10)
  }

  yAxis(label) {
    const {pen, inner} = this
    const marks = this.yMarks(inner.h)
    pen.textAlign = "right"
    for (const [at, words] of marks) {
      this.stroke([[inner.left, this.Y(at)], [inner.left + inner.w, this.Y(at)]])
      pen.fillText(words, inner.left - 4, this.Y(at) + 4)
    }
    if (!label) return
    pen.save()
    pen.translate(10, inner.top + inner.h / 2)
    pen.rotate(-Math.PI / 2)
    pen.textAlign = "center"
    pen.fillText(label, 0, 0)
    pen.restore()
  }

  stroke(points) {
    this.pen.beginPath()
    let up = true
    for (const [x, y] of points) {
      if (Number.isNaN(x + y)) up = true
      else if (up) { this.pen.moveTo(x, y); up = false }
      else this.pen.lineTo(x, y)
    }
    this.pen.stroke()
  }

  clip(inside) {
    const {pen, inner} = this
    pen.save()
    pen.beginPath()
    pen.rect(inner.left, inner.top, inner.w, inner.h)
    pen.clip()
    inside()
    pen.restore()
  }

  note(words) {
    this.pen.fillStyle = this.colors.faint
    this.pen.font = "12px system-ui, sans-serif"
    this.pen.textAlign = "center"
    this.pen.fillText(words, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2)
  }

  draw() {
    const [width, height] = [this.box.clientWidth, this.box.clientHeight]
    if (!width || !height) return
    const ratio = window.devicePixelRatio || 1
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio)
      this.canvas.height = Math.round(height * ratio)
    }
    this.pen = this.canvas.getContext("2d")
    this.colors = look(this.box)
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.pen.clearRect(0, 0, width, height)
    this.inner = null
    this.paint(this)
  }
}

// --- Markers --------------------------------------------------------------------------------

function polygon(x, y, radius, corners, turn, inward = 1) {
  return Array.from({length: corners}, (_, corner) => {
    const far = corner % 2 ? radius * inward : radius
    const angle = turn + 2 * Math.PI * corner / corners
    return [x + far * Math.cos(angle), y + far * Math.sin(angle)]
  })
}

const SHAPES = {
  square: (x, y, r) => polygon(x, y, 1.2 * r, 4, Math.PI / 4),
  diamond: (x, y, r) => polygon(x, y, 1.3 * r, 4, 0),
  star: (x, y, r) => polygon(x, y, 1.8 * r, 10, -Math.PI / 2, 0.45),
}

function marker(pen, kind, x, y, radius, color, outline) {
  pen.beginPath()
  if (kind === "x") {
    pen.strokeStyle = color
    pen.lineWidth = 2.5
    for (const side of [-1, 1]) {
      pen.moveTo(x - radius, y - side * radius)
      pen.lineTo(x + radius, y + side * radius)
    }
    pen.stroke()
    return
  }
  if (SHAPES[kind]) {
    SHAPES[kind](x, y, radius).forEach(([px, py], place) => place ? pen.lineTo(px, py) : pen.moveTo(px, py))
    pen.closePath()
  } else {
    pen.arc(x, y, radius, 0, 2 * Math.PI)
  }
  pen.fillStyle = color
  pen.strokeStyle = outline
  pen.lineWidth = 0.8
  pen.fill()
  pen.stroke()
}

// --- Lines, bars, dots ----------------------------------------------------------------------

function legend(entries) {
  return element("ul", {class: "legend"}, ...entries.map(([words, color, dash]) => {
    const sign = element("i", {class: dash || ""})
    sign.style.borderColor = LOOK.includes(color) ? `var(--look-${color})` : color
    return element("li", {}, sign, words)
  }))
}

// Lines over one axis: `series` are {values, words, color, dash, step}; the rest goes to `range`.
function drawLines(chart, x, series, {heights = null, zero = false, dots = false, ...options} = {}) {
  const shown = series.map(({values}) => options.log ? values.map((value) => value > 0 ? Math.log10(value) : NaN) : values)
  let tall = heights || extent(shown)
  if (!x.length || !tall) return chart.note("nothing yet")
  if (zero) tall = [0, Math.max(tall[1], 0.01)]
  chart.range(widened(extent([x]), 0.02), zero ? [0, tall[1] * 1.05] : widened(tall), options)
  chart.clip(() => {
    for (const {values, color, dash = [], step, width = 2} of series) {
      chart.pen.strokeStyle = chart.colors[color] || color
      chart.pen.lineWidth = width
      chart.pen.setLineDash(dash)
      const points = []
      values.forEach((value, row) => {
        if (step && row) points.push([chart.X(x[row]), chart.Y(values[row - 1])])
        points.push([chart.X(x[row]), chart.Y(value)])
      })
      chart.stroke(points)
      chart.pen.setLineDash([])
      if (dots || x.length === 1) for (const [px, py] of points) if (!Number.isNaN(py)) marker(chart.pen, "circle", px, py, 2.5, chart.colors[color] || color, chart.colors.paper)
    }
  })
}

function nearestRow(chart, x, at) {
  let best = -1
  x.forEach((value, row) => {
    if (best < 0 || Math.abs(chart.X(value) - at) < Math.abs(chart.X(x[best]) - at)) best = row
  })
  return best
}

function drawBars(chart, x, stacks, line, options) {
  const tops = x.map((_, row) => stacks.reduce((sum, {values}) => sum + Math.max(0, values[row]), 0))
  const lows = x.map((_, row) => stacks.reduce((sum, {values}) => sum + Math.min(0, values[row]), 0))
  if (!x.length) return chart.note("nothing yet")
  const tall = extent([tops, lows, line ? line.values : [], [0, 1e-9]])
  chart.range([extent([x])[0] - 0.6, extent([x])[1] + 0.6], [tall[0] * 1.05, tall[1] * 1.05], options)
  chart.clip(() => {
    const wide = Math.max(1, 0.85 * (chart.X(1) - chart.X(0)))
    x.forEach((at, row) => {
      let foot = 0
      for (const {values, color} of stacks) {
        const [from, to] = [chart.Y(foot), chart.Y(foot + values[row])]
        chart.pen.fillStyle = chart.colors[color] || color
        chart.pen.fillRect(chart.X(at) - wide / 2, Math.min(from, to), wide, Math.abs(to - from))
        foot += values[row]
      }
    })
    if (!line) return
    chart.pen.strokeStyle = chart.colors.ink
    chart.pen.lineWidth = 2
    chart.stroke(x.map((at, row) => [chart.X(at), chart.Y(line.values[row])]))
  })
}

// --- Pictures -------------------------------------------------------------------------------

function rgb(color) {
  const digits = color.replace("#", "")
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16))
}

// A grid of shares from 0 to 1 (NaN: nothing), between two colours.
function drawGrid(chart, shares, [tall, wide], light, dark, options = {}) {
  chart.range([0, wide], [0, tall], {axes: "", flip: true, ...options})
  const image = new ImageData(wide, tall)
  const [from, to, none] = [rgb(light), rgb(dark), rgb(chart.colors.paper)]
  for (let cell = 0; cell < tall * wide; cell++) {
    const share = shares(cell)
    for (let part = 0; part < 3; part++) {
      image.data[4 * cell + part] = Number.isNaN(share) ? none[part] : from[part] + share * (to[part] - from[part])
    }
    image.data[4 * cell + 3] = 255
  }
  const sheet = new OffscreenCanvas(wide, tall)
  sheet.getContext("2d").putImageData(image, 0, 0)
  chart.pen.imageSmoothingEnabled = false
  chart.pen.drawImage(sheet, chart.X(0), chart.Y(0), chart.X(wide) - chart.X(0), chart.Y(tall) - chart.Y(0))
}
