// The page around the drawings: what is written of each run, and the player that moves them all.

let words = {}

// --- One run --------------------------------------------------------------------------------

class Panel {
  constructor(run, place) {
    Object.assign(this, {run, at: run.times.length - 1, node: null, axis: "bound", against: "time"})
    this.scatter = scatterChart(run, this)
    this.bounds = boundsChart(run, this)
    this.result = element("div", {class: "card", role: "region", "aria-label": "Result"})
    this.event = element("p", {class: "event"})
    this.tabs = new Tabs(this, place)
    const about = `${run.solver}, seed ${run.seed}; ${run.data || "data"}: ${count(run.n, "point")}, k = ${run.k}`
    const settings = Object.entries(run.settings).map(([name, value]) => `${name} = ${value}`).join(", ")
    this.box = element("section", {class: "run", "aria-label": run.title},
      element("h2", {}, run.title), element("p", {class: "about", title: settings}, about),
      element("div", {class: "two"},
        element("div", {}, this.scatter.box, this.event, pointTable(run, this)),
        element("div", {}, this.result, this.boundsBox())),
      this.tabs.box)
  }

  boundsBox() {
    const choice = segmented("Bounds against", {time: "Time", nodes: "Nodes"}, this.against, (value) => {
      this.against = value
      this.bounds.draw()
    })
    const title = element("h3", {}, "Bounds")
    const drawn = legend([["upper bound", "upper"], ["lower bound", "lower"]])
    return element("div", {class: "section"}, title, this.run.tree ? choice : "", drawn, this.bounds.box)
  }

  select(node) {
    this.node = node === this.node ? null : node
    this.draw()
  }

  draw() {
    if (this.node !== null && this.node >= upto(this.run.tree.opened, this.at)) this.node = null
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
    const {x, y, classes} = run.points
    const cells = (row) => [row, number(x[row], 4), number(y[row], 4), labels && labels[row] >= 0 ? labels[row] : "–", classes[row]]
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
  constructor(panel, place) {
    this.panel = panel
    this.pages = panel.run.views.map(([name, title]) => ({name, title, ...this.page(name)}))
    this.shown = 0
    const id = (kind, name) => `${kind}-${place}-${name}`
    this.buttons = this.pages.map(({name, title, box}, at) => {
      box.id = id("page", name)
      box.setAttribute("role", "tabpanel")
      box.setAttribute("aria-labelledby", id("tab", name))
      return element("button", {type: "button", role: "tab", id: id("tab", name), "aria-controls": box.id,
        onclick: () => this.show(at), onkeydown: (event) => this.onKey(event)}, title)
    })
    const list = element("div", {role: "tablist", "aria-label": "Inside the solver"}, ...this.buttons)
    this.box = this.pages.length ? element("div", {class: "inside"}, element("h3", {}, "Inside the solver"), list, ...this.pages.map(({box}) => box)) : ""
    if (this.pages.length) this.mark()
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
    const near = (pairs) => pairWords(pairs, (i, j) => `${i} (as far as ${j})`)
    const places = [["A centre near", frame.taken], ["No centre near", frame.empty]].filter(([, pairs]) => pairs.length)
    const rows = [["Decided together", pairWords(frame.mustLink)], ["Decided apart", pairWords(frame.cannotLink)], ...places.map(([name, pairs]) => [name, near(pairs)]), ["Cuts", cutWords(cuts(panel.run, panel.at, frame.node))]]
    this.node.replaceChildren(
      element("h4", {}, `Node ${frame.node}, depth ${frame.depth}: ${words.labels[frame.state]}`), element("p", {}, frame.why),
      element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])))
    this.history.draw()
  }
}

function pairWords(pairs, say = (i, j) => `${i}-${j}`) {
  const shown = pairs.slice(0, 12).map(([i, j]) => say(i, j)).join(", ")
  return shown + (pairs.length > 12 ? ` and ${pairs.length - 12} more` : "") || "nothing"
}

// --- The lesson -----------------------------------------------------------------------------

function lessonBox(lesson) {
  const steps = lesson.steps.map(({text, finding, sketch}) => {
    const parts = [element("p", {}, text)]
    if (sketch) parts.push(element("img", {class: "sketch", alt: "what has been bounded so far", src: `data:image/svg+xml,${encodeURIComponent(sketch)}`}))
    if (finding) parts.push(element("p", {class: "finding"}, finding))
    return element("li", {}, ...parts)
  })
  const box = element("section", {class: "lesson", "aria-label": "Lesson"}, element("h2", {}, lesson.title))
  const part = (title, text) => text ? box.append(element("h3", {}, title), element("p", {}, text)) : null
  part("What the paper says", lesson.paper)
  if (steps.length) box.append(element("ol", {}, ...steps))
  part("What to look for", lesson.look)
  if (lesson.exercises.length) {
    box.append(element("h3", {}, "Exercises"), element("ol", {class: "exercises"}, ...lesson.exercises.map(([question, answer]) => (
      element("li", {}, question, element("details", {}, element("summary", {}, "Answer"), element("p", {}, answer)))))))
  }
  return box
}

// --- The player -----------------------------------------------------------------------------

// Several runs move by their own clocks: the next event is that which came first.
function merged(runs) {
  const at = runs.map(() => 0)
  const order = []
  for (;;) {
    let next = -1
    runs.forEach((run, place) => {
      if (at[place] < run.times.length && (next < 0 || run.times[at[place]] < runs[next].times[at[next]])) next = place
    })
    if (next < 0) return Int8Array.from(order)
    order.push(next)
    at[next]++
  }
}

class Player {
  constructor(panels) {
    this.panels = panels
    this.order = merged(panels.map(({run}) => run))
    this.place = this.order.length
    this.playing = false
    this.due = 0
    this.parts = Object.fromEntries(["first", "back", "play", "step", "final", "scrub", "speed", "where", "live"].map((id) => [id, document.getElementById(id)]))
    this.parts.scrub.max = this.order.length
    this.parts.speed.append(...Object.keys(words.paces).map((name) => element("option", {}, name)))
    const acts = {first: () => this.seek(0), back: () => this.seek(this.place - 1), play: () => this.toggle(),
      step: () => this.seek(this.place + 1), final: () => this.seek(this.order.length)}
    for (const [id, act] of Object.entries(acts)) this.parts[id].addEventListener("click", act)
    this.parts.scrub.addEventListener("input", () => this.seek(Number(this.parts.scrub.value)))
    document.addEventListener("keydown", (event) => this.onKey(event, acts))
    this.show()
  }

  onKey(event, acts) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return
    const faster = (by) => {
      const {speed} = this.parts
      speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1)
    }
    const act = {" ": acts.play, ArrowLeft: acts.back, ArrowRight: acts.step, Home: acts.first, End: acts.final,
      "+": () => faster(1), "-": () => faster(-1)}[event.key]
    if (!act || event.key === " " && event.target.matches("button, summary, a")) return
    event.preventDefault()
    act()
  }

  toggle() {
    this.playing = !this.playing
    if (this.playing && this.place === this.order.length) this.place = 0
    this.before = performance.now()
    if (this.playing) requestAnimationFrame((now) => this.tick(now))
    this.show()
  }

  pace() {
    const pace = words.paces[this.parts.speed.value]
    return pace || Math.max(4, this.order.length / 20) // Auto: slow enough to watch, and soon over
  }

  tick(now) {
    if (!this.playing) return
    this.due += this.pace() * (now - this.before) / 1000
    this.before = now
    const steps = Math.floor(this.due)
    this.due -= steps
    if (steps) {
      this.place = Math.min(this.place + steps, this.order.length)
      this.playing = this.place < this.order.length
      this.show()
    }
    if (this.playing) requestAnimationFrame((later) => this.tick(later))
  }

  seek(place) {
    this.playing = false
    this.place = Math.min(Math.max(place, 0), this.order.length)
    this.show()
  }

  show() {
    const many = this.panels.map(() => 0)
    for (let at = 0; at < this.place; at++) many[this.order[at]]++
    this.panels.forEach((panel, place) => {
      panel.at = many[place] - 1
      panel.draw()
    })
    const {play, scrub, where, live, back, step, first, final} = this.parts
    play.textContent = this.playing ? "Pause" : "Play"
    scrub.value = this.place
    first.disabled = back.disabled = this.place === 0
    step.disabled = final.disabled = this.place === this.order.length
    const stride = Math.max(...this.panels.map(({run}) => run.stride))
    where.textContent = `${this.place.toLocaleString("en")} of ${count(this.order.length, "event")}${stride > 1 ? `, of up to ${stride} each` : ""}`
    scrub.setAttribute("aria-valuetext", where.textContent)
    if (!this.playing) live.textContent = this.panels.map(({event}) => event.textContent).join(" ")
  }
}

// --- The page -------------------------------------------------------------------------------

function paintTheme() {
  const root = document.documentElement
  const button = document.getElementById("theme")
  const dark = window.matchMedia("(prefers-color-scheme: dark)")
  const set = (to) => {
    root.dataset.theme = to ? "dark" : "light"
    button.setAttribute("aria-pressed", String(to))
    paintLegends()
    if (window.ccviz) window.ccviz.panels.forEach((panel) => panel.draw())
  }
  button.addEventListener("click", () => set(root.dataset.theme !== "dark"))
  dark.addEventListener("change", () => set(dark.matches))
  set(dark.matches)
}

function paintLegends() {
  const colors = look()
  for (const sign of document.querySelectorAll("[data-color]")) {
    const color = colors[sign.dataset.color] || sign.dataset.color
    sign.style.borderColor = color
  }
}

async function open() {
  const {runs, lesson, words: given} = await unpack(document.getElementById("data").textContent)
  words = given
  const panels = runs.map((run, place) => new Panel(run, place))
  const box = document.getElementById("runs")
  box.dataset.many = runs.length
  box.replaceChildren(...panels.map((panel) => panel.box))
  if (lesson) document.getElementById("lesson").append(lessonBox(lesson))
  paintTheme()
  window.ccviz = {panels, player: new Player(panels)}
  document.documentElement.dataset.ready = "yes"
}

open()
