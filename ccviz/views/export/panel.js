// One run with its drawings, and what is written of it.

let words = {}

// --- One run --------------------------------------------------------------------------------

class Panel {
  // `pick`, if given, is told which point is clicked, -1 beside all of them.
  constructor(run, place, pick = null) {
    Object.assign(this, {run, place, pick, picked: [], marked: -1, at: run.times.length - 1, node: null, axis: "bound", against: "time"})
    this.scatter = scatterChart(run, this)
    this.bounds = boundsChart(run, this)
    this.result = element("div", {class: "card", role: "region", "aria-label": "Result"})
    this.event = element("p", {class: "event"})
    this.title = element("h2")
    this.about = element("p", {class: "about"})
    this.tabs = new Tabs(this, place)
    this.main = element("div", {class: "two"},
      element("div", {}, this.scatter.box, this.event, pointTable(run, this)),
      element("div", {}, this.result, this.boundsBox()))
    this.box = element("section", {class: "run"}, this.title, this.about, this.main, this.tabs.box)
    this.tell()
  }

  tell() {
    const {run} = this
    this.box.setAttribute("aria-label", run.title)
    this.title.textContent = run.title
    this.about.textContent = `${run.solver}, seed ${run.seed}; ${run.data || "data"}: ${count(run.n, "point")}, k = ${run.k}`
    this.about.title = Object.entries(run.settings).map(([name, value]) => `${name} = ${value}`).join(", ")
    this.choice.hidden = !run.tree
  }

  // The run has gone on, or another one takes its place: zoom and tab stay.
  renew(run) {
    const had = this.run
    if (had.points.x_name !== run.points.x_name || had.points.y_name !== run.points.y_name) this.scatter.view = null
    const sameViews = had.views.map(String).join() === run.views.map(String).join()
    Object.assign(this.run, run) // which the drawings hold
    if (!sameViews) {
      const before = this.tabs
      this.tabs = new Tabs(this, this.place, before.name)
      before.box.replaceWith(this.tabs.box)
    }
    this.tell()
  }

  boundsBox() {
    this.choice = segmented("Bounds against", {time: "Time", nodes: "Nodes"}, this.against, (value) => {
      this.against = value
      this.bounds.draw()
    })
    const title = element("h3", {}, "Bounds")
    const drawn = legend([["upper bound", "upper"], ["lower bound", "lower"]])
    return element("div", {class: "section"}, title, this.choice, drawn, this.bounds.box)
  }

  select(node) {
    this.node = node === this.node ? null : node
    this.draw()
  }

  draw() {
    const {tree} = this.run
    if (this.node !== null && !(tree && this.node < upto(tree.opened, this.at))) this.node = null
    this.scatter.draw()
    this.bounds.draw()
    this.result.replaceChildren(...cardParts(card(this.run, this.at)))
    this.event.textContent = this.at < 0 ? "Before the first event." : this.run.said[this.at]
    this.tabs.draw()
  }
}

function cardParts(frame) {
  const list = (rows, kind) => element("dl", {class: kind}, ...rows.map(([name, value]) => (
    element("div", {}, element("dt", {}, name), element("dd", {}, value)))))
  const bar = element("div", {class: "sizes", role: "img", "aria-label": `cluster sizes ${frame.sizes.join(", ")}`})
  frame.sizes.forEach((size, label) => {
    const part = element("i", {title: count(size, "point")})
    part.style.flex = size
    part.style.background = clusterColor(label)
    bar.append(part)
  })
  return [
    element("span", {class: `pill ${frame.status}`}, frame.headline),
    element("p", {}, frame.ending), list(frame.rows, "rows"),
    ...(frame.sizes.length ? [bar] : []), ...(frame.scores.length ? [list(frame.scores, "scores")] : []),
  ]
}

// The points for those who read them: made when it is opened, for it may be long.
function pointTable(run, panel) {
  const MOST = 1000
  const body = element("tbody")
  const fill = () => {
    const {labels} = scatter(run, panel.at)
    const {x, y, classes, names} = run.points
    const cells = (row) => [names.length ? names[row] : row, number(x[row], 4), number(y[row], 4), labels && labels[row] >= 0 ? labels[row] : "–", classes[row]]
    body.replaceChildren(...Array.from({length: Math.min(run.n, MOST)}, (_, row) => (
      element("tr", {}, ...cells(row).map((value) => element("td", {}, String(value)))))))
  }
  const heads = ["point", run.points.x_name, run.points.y_name, "cluster", "class"]
  const head = element("thead", {}, element("tr", {}, ...heads.map((name) => element("th", {scope: "col"}, name))))
  const box = element("details", {class: "points"}, element("summary", {}, "Points as a table"), element("table", {}, head, body))
  box.addEventListener("toggle", () => { if (box.open) fill() })
  return box
}

// Buttons of which one is pressed.
function segmented(label, options, value, choose) {
  const buttons = Object.entries(options).map(([key, title]) => element("button", {type: "button", "aria-pressed": String(key === value), onclick: (event) => {
    buttons.forEach((each) => each.setAttribute("aria-pressed", String(each === event.target)))
    choose(key)
  }}, title))
  return element("div", {class: "segmented", role: "group", "aria-label": label}, ...buttons)
}

// --- Inside the solver ----------------------------------------------------------------------

class Tabs {
  constructor(panel, place, shown = "") {
    this.panel = panel
    this.pages = panel.run.views.map(([name, title]) => ({name, title, ...this.page(name)}))
    this.shown = Math.max(0, this.pages.findIndex(({name}) => name === shown))
    const id = (kind, name) => `${kind}-${place}-${name}`
    this.buttons = this.pages.map(({name, title, box}, at) => {
      box.id = id("page", name)
      box.setAttribute("role", "tabpanel")
      box.setAttribute("aria-labelledby", id("tab", name))
      return element("button", {type: "button", role: "tab", id: id("tab", name), "aria-controls": box.id,
        onclick: () => this.show(at), onkeydown: (event) => this.onKey(event)}, title)
    })
    const list = element("div", {role: "tablist", "aria-label": "Inside the solver"}, ...this.buttons)
    this.box = element("div", {class: "inside"}, element("h3", {}, "Inside the solver"), list, ...this.pages.map(({box}) => box))
    this.box.hidden = !this.pages.length
    if (this.pages.length) this.mark()
  }

  get name() {
    return this.pages.length ? this.pages[this.shown].name : ""
  }

  page(name) {
    const {run} = this.panel
    if (name === "tree") return this.treePage()
    const charts = VIEWS[name].charts.map((each) => INNER[each](run, this.panel))
    const saying = name === "population" && run.searched ? element("p", {class: "about"}, run.searched) : ""
    return {box: element("div", {class: "charts"}, saying, legend(VIEWS[name].legend()), ...charts.map(({box}) => box)), charts}
  }

  treePage() {
    const {panel} = this
    const chart = treeChart(panel.run, panel)
    const axis = segmented("Height of a node", {bound: "Lower bound", depth: "Depth"}, panel.axis, (value) => {
      panel.axis = value
      chart.view = null
      chart.draw()
    })
    const marks = element("ul", {class: "legend marks"}, ...Object.entries(words.marks).filter(([kind]) => kind !== "folded").map(([kind, [shape, color, said]]) => {
      const canvas = element("canvas", {"aria-hidden": "true", width: "18", height: "18"})
      marker(canvas.getContext("2d"), shape, 9, 9, kind === "incumbent" ? 5 : 4.5, color, "#5b6673")
      return element("li", {}, canvas, said)
    }))
    this.node = element("div", {class: "node", role: "region", "aria-label": "Node", "aria-live": "polite"})
    this.history = new Chart({label: "bound of the node", height: 150, paint: (drawn) => {
      const frame = nodeFrame(panel.run, panel.at, panel.node ?? 0)
      let top = -Infinity
      const rising = frame.bound.map((bound) => { top = Math.max(top, bound); return top })
      drawLines(drawn, frame.time, [{values: rising, color: "lower"}], {dots: true, xLabel: "seconds", yLabel: "lower bound"})
    }})
    return {box: element("div", {class: "charts"}, axis, chart.box, marks, this.node, this.history.box), charts: [chart]}
  }

  onKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (!step) return
    event.preventDefault()
    event.stopPropagation()
    this.show((this.shown + step + this.pages.length) % this.pages.length)
    this.buttons[this.shown].focus()
  }

  show(at) {
    this.shown = at
    this.mark()
    this.draw()
  }

  mark() {
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === this.shown))
      button.tabIndex = at === this.shown ? 0 : -1
      this.pages[at].box.hidden = at !== this.shown
    })
  }

  draw() {
    if (!this.pages.length) return
    this.pages[this.shown].charts.forEach((chart) => chart.draw())
    if (this.node) this.drawNode()
  }

  drawNode() {
    const {panel} = this
    const none = panel.node === null
    this.history.box.hidden = none
    if (none) {
      this.node.replaceChildren(element("p", {class: "about"}, "Click a node of the tree, or walk it by the arrow keys: its decisions are drawn on the points, and what is known about it is written here."))
      return
    }
    const frame = nodeFrame(panel.run, panel.at, panel.node)
    const {names} = panel.run.points
    const called = (point) => names.length ? names[point] : `${point}`
    const linked = (pairs) => pairWords(pairs, (i, j) => `${called(i)} – ${called(j)}`)
    const near = (pairs) => pairWords(pairs, (i, j) => `${called(i)} (as far as ${called(j)})`)
    const places = [["A centre near", frame.taken], ["No centre near", frame.empty]].filter(([, pairs]) => pairs.length)
    const rows = [["Decided together", linked(frame.mustLink)], ["Decided apart", linked(frame.cannotLink)], ...places.map(([name, pairs]) => [name, near(pairs)]), ["Cuts", cutWords(cuts(panel.run, panel.at, frame.node))]]
    this.node.replaceChildren(
      element("h4", {}, `Node ${frame.node}, depth ${frame.depth}: ${words.labels[frame.state]}`), element("p", {}, frame.why),
      element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])))
    this.history.draw()
  }
}

function pairWords(pairs, say) {
  const shown = pairs.slice(0, 12).map(([i, j]) => say(i, j)).join(", ")
  return shown + (pairs.length > 12 ? ` and ${pairs.length - 12} more` : "") || "nothing"
}
