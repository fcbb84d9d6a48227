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

const ACTS = {
  first: ["|◀", "To the beginning", "To the beginning (Home)"],
  back: ["Back", "", "One event back (left arrow)"],
  play: ["Play", "", "Play or pause (space)"],
  step: ["Step", "", "One event on (right arrow)"],
  final: ["▶|", "To the end", "To the end (End)"],
}

class Player {
  // Keys are heard where `keys` is: a document, or an element with all of it.
  constructor(panels, keys) {
    Object.assign(this, {panels, place: Infinity, playing: false, due: 0, order: []})
    this.parts = Object.fromEntries(Object.entries(ACTS).map(([id, [text, label, title]]) => (
      [id, element("button", {type: "button", id, title, ...(label && {"aria-label": label})}, text)])))
    const buttons = element("div", {class: "buttons"}, ...Object.values(this.parts))
    Object.assign(this.parts, {
      scrub: element("input", {type: "range", id: "scrub", min: "0", "aria-label": "Event"}),
      speed: element("select", {id: "speed"}),
      where: element("span", {id: "where"}), live: element("p", {id: "live", "aria-live": "polite"}),
    })
    const {scrub, speed, where, live} = this.parts
    this.box = element("footer", {role: "group", "aria-label": "Player"}, buttons, scrub,
      element("label", {class: "speed"}, "Speed ", speed), where, live)
    this.parts.speed.append(...Object.keys(words.paces).map((name) => element("option", {}, name)))
    const acts = {first: () => this.seek(0), back: () => this.seek(this.place - 1), play: () => this.toggle(),
      step: () => this.seek(this.place + 1), final: () => this.seek(this.order.length)}
    for (const [id, act] of Object.entries(acts)) this.parts[id].addEventListener("click", act)
    this.parts.scrub.addEventListener("input", () => this.seek(Number(this.parts.scrub.value)))
    keys.addEventListener("keydown", (event) => this.onKey(event, acts))
    this.renew()
  }

  // The runs have changed: who looks at the end stays there.
  renew() {
    const atEnd = this.place >= this.order.length
    this.order = merged(this.panels.map(({run}) => run))
    this.place = atEnd && !this.playing ? this.order.length : Math.min(this.place, this.order.length)
    this.parts.scrub.max = this.order.length
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

