// Points without a mouse: Tab to the plot, move the marker by arrows, pick by Enter.

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}
const PAGES = {PageUp: -1, PageDown: 1}

// The nearest point in an arrow's quarter of the plot, as it is drawn; the same one if there is none.
function pointBeside(chart, {x, y}, from, [across, down]) {
  let [best, near] = [from, Infinity]
  for (let point = 0; point < x.length; point++) {
    const [dx, dy] = [chart.X(x[point]) - chart.X(x[from]), chart.Y(y[point]) - chart.Y(y[from])]
    const [along, beside] = [dx * across + dy * down, Math.abs(dx * down) + Math.abs(dy * across)]
    if (along > 0 && beside <= along && along + beside < near) [best, near] = [point, along + beside]
  }
  return best
}

class Cursor {
  constructor(panel) {
    Object.assign(this, {panel, chart: panel.scatter, at: -1})
    const {canvas, hint} = this.chart
    canvas.tabIndex = 0
    hint.setAttribute("role", "status")
    canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) this.move(this.first()) })
    canvas.addEventListener("blur", () => this.hide())
    canvas.addEventListener("click", () => canvas.blur()) // the arrows step the run again
    canvas.addEventListener("keydown", (event) => this.onKey(event))
  }

  // Where the marker was before, at first the middle of the plot.
  first() {
    const {x, y} = this.panel.run.points
    if (this.at >= 0 && this.at < x.length) return this.at
    const {left, top, w, h} = this.chart.inner
    return nearestPoint(this.chart, x, y, left + w / 2, top + h / 2, Infinity)
  }

  // Keys that act here reach neither the player nor the notebook; all others go on to the cell.
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const {points} = this.panel.run
    if (event.key === "Enter") this.panel.pick(this.first())
    else if (event.key in ARROWS) this.move(pointBeside(this.chart, points, this.first(), ARROWS[event.key]))
    else if (event.key in PAGES) this.move((this.first() + PAGES[event.key] + points.x.length) % points.x.length)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  move(point) {
    const {panel, chart} = this
    this.at = panel.marked = point
    chart.draw()
    const {x, y} = panel.run.points
    chart.tell(`${pointWords(panel.run, panel.at, point)}. Enter picks it`, chart.X(x[point]), chart.Y(y[point]))
  }

  hide() {
    this.panel.marked = -1
    this.chart.tell("")
    this.chart.draw()
  }
}
