import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const BROWSER = "chromium"

/** Whether this machine has a browser to drive. */
export const hasBrowser = spawnSync(BROWSER, ["--version"]).status === 0

type Fields = Readonly<Record<string, unknown>>

/** A message of the DevTools protocol. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: { readonly message: string }
}

/** What ends the wait for the answer to a command. */
interface Waiting {
  readonly resolve: (result: Fields) => void
  readonly reject: (error: Error) => void
}

const QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--no-sandbox"]

/** Returns the address of the DevTools protocol, which the browser prints when it is ready. */
const addressOf = async (browser: ChildProcess): Promise<string> => {
  let printed = ""
  for await (const part of browser.stderr ?? []) {
    printed += String(part)
    const address = /DevTools listening on (ws:\S+)/.exec(printed)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`${BROWSER} ended before it was ready:\n${printed}`)
}

/** One tab of a browser without a window. */
export class Tab {
  /** The events that the browser has sent since the last `open`. */
  events: Array<{ readonly method: string; readonly params: Fields }> = []
  private readonly socket: WebSocket
  private readonly waiting = new Map<number, Waiting>()
  private sent = 0
  private session: unknown

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener("message", ({ data }) => this.receive(JSON.parse(String(data))))
  }

  private receive({ error, id, method, params = {}, result = {} }: Message): void {
    if (method !== undefined) this.events.push({ method, params })
    if (id === undefined) return
    const waiting = this.waiting.get(id)
    this.waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }

  /** Sends a command of the DevTools protocol, and returns its result. */
  send(method: string, params: Fields = {}): Promise<Fields> {
    const id = ++this.sent
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.socket.send(JSON.stringify({ id, method, params, sessionId: this.session }))
    })
  }

  /** Attaches to a new page, and asks for what happens on it. */
  async attach(): Promise<void> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" })
    this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId
    for (const domain of ["Page", "Network", "Runtime", "Log"]) await this.send(`${domain}.enable`)
  }

  /** Opens an address in a window of this width, in a light or a dark system, and waits until it is loaded. */
  async open(url: string, width: number, scheme: "light" | "dark"): Promise<void> {
    const size = { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 }
    await this.send("Emulation.setDeviceMetricsOverride", size)
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
    this.events = []
    await this.send("Page.navigate", { url })
    await this.until(() => this.events.some(({ method }) => method === "Page.loadEventFired"))
  }

  /** Waits until a condition holds; the test's own time limit ends it. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  /** Evaluates a program in the page, and returns its value. */
  async evaluate<A>(program: string): Promise<A> {
    const { exceptionDetails, result } = await this.send("Runtime.evaluate", {
      expression: program,
      awaitPromise: true,
      returnByValue: true
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { readonly value: A }).value
  }
}

/** Starts a browser with one tab. `close` ends it. */
export const startBrowser = async (): Promise<{ readonly tab: Tab; readonly close: () => Promise<void> }> => {
  const profile = mkdtempSync(join(tmpdir(), "rollcall-browser-"))
  const args = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...QUIET]
  const browser = spawn(BROWSER, args, { stdio: ["ignore", "ignore", "pipe"] })
  const ended = once(browser, "exit")
  const socket = new WebSocket(await addressOf(browser))
  await once(socket, "open")
  const tab = new Tab(socket)
  await tab.attach()
  const close = async () => {
    socket.close()
    browser.kill()
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  return { tab, close }
}
