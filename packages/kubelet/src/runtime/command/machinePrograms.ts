import { formatTime } from "@rollcall/api"
import { ends, endsWithUnknownOutput, type Program, type ProgramContext } from "./ProgramContext.ts"
import type { ShellWorld } from "./ShellWorld.ts"

/** A program that writes something about its machine, and ends. */
const shows =
  (text: (world: ShellWorld, context: ProgramContext) => string): Program =>
  (args, context) => {
    if (args.length > 0) return undefined
    const { world } = context
    return world === undefined ? endsWithUnknownOutput : ends(0, `${text(world, context)}\n`)
  }

const DAY_MS = 86_400_000
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** Returns the fields of a time in UTC by the letters of `date`. */
const fieldsOf = (atMs: number): Readonly<Record<string, string>> => {
  const [date = "", time = ""] = formatTime(atMs).replace("Z", "").split("T")
  const [Y = "", m = "", d = ""] = date.split("-")
  const [H = "", M = "", S = ""] = time.split(":")
  // The epoch began on a Thursday.
  const a = days[(Math.floor(atMs / DAY_MS) + 4) % 7] ?? ""
  const b = months[Number(m) - 1] ?? ""
  const s = String(Math.floor(atMs / 1000))
  const N = `${String(Math.floor(atMs % 1000)).padStart(3, "0")}000000`
  return {
    Y,
    m,
    d,
    H,
    M,
    S,
    a,
    b,
    s,
    N,
    F: date,
    T: time,
    Z: "UTC",
    z: "+0000",
    "%": "%",
    e: d.replace(/^0/, " "),
    n: "\n"
  }
}

const date: Program = (args, context) => {
  const { world } = context
  if (world === undefined) return endsWithUnknownOutput
  const format = args.filter((arg) => arg !== "-u")
  if (format.length > 1 || (format.length === 1 && format[0]?.startsWith("+") !== true)) return undefined
  const fields = fieldsOf(world.startMs + context.elapsedMs)
  const form = format[0]?.slice(1) ?? "%a %b %e %T %Z %Y"
  return ends(0, `${form.replace(/%(.)/g, (all, letter: string) => fields[letter] ?? all)}\n`)
}

/** Of a modelled machine. */
const KERNEL = "6.8.0-rollcall"

const uname: Program = (args, context) => {
  const { world } = context
  if (world === undefined) return endsWithUnknownOutput
  const [flag = "-s", ...more] = args
  const words: Readonly<Record<string, string>> = {
    "-s": "Linux",
    "-n": world.hostname,
    "-r": KERNEL,
    "-m": "x86_64",
    "-a": `Linux ${world.hostname} ${KERNEL} #1 SMP x86_64 GNU/Linux`
  }
  return more.length > 0 || !Object.hasOwn(words, flag) ? undefined : ends(0, `${words[flag]}\n`)
}

/** Returns the address and the names of the machine in its file of hosts, the first of which is its full name. */
const ownHost = ({ files, hostname }: ShellWorld): ReadonlyArray<string> => {
  const lines = (files.read("/etc/hosts") ?? "").split("\n").map((line) => line.trim().split(/\s+/))
  return lines.find(([address = "", ...names]) => !address.startsWith("#") && names.includes(hostname)) ?? []
}

/** `hostname`, with `-f`, `-s`, `-d` and `-i`. */
const hostname: Program = ([flag, ...more], { world }) => {
  if (world === undefined) return endsWithUnknownOutput
  if (more.length > 0) return undefined
  const [address, full = world.hostname] = ownHost(world)
  const texts: Readonly<Record<string, string | undefined>> = {
    "-f": full,
    "-s": world.hostname.split(".")[0],
    "-d": full.split(".").slice(1).join("."),
    "-i": address
  }
  const text = flag === undefined ? world.hostname : Object.hasOwn(texts, flag) ? texts[flag] : undefined
  return text === undefined ? undefined : ends(0, `${text}\n`)
}

const userName = (user: number): string => (user === 0 ? "root" : String(user))
const named = (id: number): string => (id === 0 ? "0(root)" : String(id))

const id: Program = (args, context) => {
  const { world } = context
  if (world === undefined) return endsWithUnknownOutput
  const { group, groups, user } = world
  const all = [...new Set([group, ...groups])]
  const [flag, ...more] = args
  const texts: Readonly<Record<string, string>> = {
    "-u": String(user),
    "-g": String(group),
    "-G": all.join(" "),
    "-un": userName(user)
  }
  if (flag === undefined) return ends(0, `uid=${named(user)} gid=${named(group)} groups=${all.map(named).join(",")}\n`)
  return more.length > 0 || !Object.hasOwn(texts, flag) ? undefined : ends(0, `${texts[flag]}\n`)
}

const environmentText = ({ environment }: ProgramContext): string =>
  Array.from(environment, ([name, value]) => `${name}=${value ?? ""}`).join("\n")

const printenv: Program = (args, context) => {
  if (context.world === undefined) return endsWithUnknownOutput
  const [name, ...more] = args
  if (name === undefined) return ends(0, `${environmentText(context)}\n`)
  const value = context.environment.get(name)
  return more.length > 0 ? undefined : value === undefined ? ends(1) : ends(0, `${value}\n`)
}

/** The file systems that every container has, by their type. */
const mounted: Readonly<Record<string, string>> = {
  overlay: "overlay on / type overlay (rw,relatime)",
  proc: "proc on /proc type proc (rw,nosuid,nodev,noexec,relatime)",
  cgroup2: "cgroup on /sys/fs/cgroup type cgroup2 (ro,nosuid,nodev,noexec,relatime)"
}

const mount: Program = ([flag, type = "", ...more]) => {
  if ((flag !== undefined && flag !== "-t") || more.length > 0) return undefined
  const lines = Object.entries(mounted).filter(([of]) => flag === undefined || of === type)
  return ends(0, lines.map(([, line]) => `${line}\n`).join(""))
}

/** Programs that write about their machine and their container. */
export const machinePrograms: Readonly<Record<string, Program>> = {
  date,
  env: shows((_, context) => environmentText(context)),
  printenv,
  mount,
  hostname,
  id,
  pwd: shows(() => "/"),
  uname,
  whoami: shows(({ user }) => userName(user))
}
