import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"

const STORE = "store.sqlite"
const WAL = `${STORE}-wal`

/** A damage to a store's files while no server has them open. */
export interface Damage {
  readonly name: string
  /** Applies the damage. `folder`: the data folder; `earlier`: a copy of its store from when the first half was written. */
  readonly apply: (folder: string, earlier: string) => void
  /** No acknowledged write is lost by it: the server must start. */
  readonly isHarmless?: true
}

const cut = (file: string, share: number) => truncateSync(file, Math.floor(statSync(file).size * share))

/** Inverts `count` bytes at a share of the file's length. */
const flip = (file: string, share: number, count = 64) => {
  const bytes = readFileSync(file)
  const from = Math.floor(bytes.length * share)
  for (let at = from; at < Math.min(from + count, bytes.length); at++) bytes[at] = ~(bytes[at] as number) & 255
  writeFileSync(file, bytes)
}

/** Returns the files of a store. */
export const storeFiles = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.startsWith(STORE))

export const copyStore = (from: string, to: string): void => {
  for (const name of storeFiles(from)) copyFileSync(join(from, name), join(to, name))
}

const besides = (folder: string): ReadonlyArray<string> =>
  storeFiles(folder).filter((name) => name !== STORE && name !== WAL && name !== `${STORE}-shm`)

const onWal = (name: string, apply: (wal: string) => void): Damage => ({
  name: `the write-ahead log ${name}`,
  apply: (folder) => apply(join(folder, WAL))
})

const onFile = (name: string, apply: (file: string) => void): Damage => ({
  name: `the file ${name}`,
  apply: (folder) => apply(join(folder, STORE))
})

export const damages: ReadonlyArray<Damage> = [
  { name: "nothing", apply: () => {}, isHarmless: true },
  {
    name: "the shared memory file removed",
    apply: (folder) => rmSync(join(folder, `${STORE}-shm`), { force: true }),
    isHarmless: true
  },
  onWal("cut by its last byte", (wal) => truncateSync(wal, statSync(wal).size - 1)),
  onWal("cut by its last frame", (wal) => truncateSync(wal, statSync(wal).size - 4120)),
  onWal("cut in half", (wal) => cut(wal, 0.5)),
  onWal("cut to nothing", (wal) => cut(wal, 0)),
  onWal("removed", (wal) => rmSync(wal)),
  onWal("damaged at its beginning", (wal) => flip(wal, 0.0001)),
  onWal("damaged in the middle", (wal) => flip(wal, 0.5)),
  onWal("damaged at its end", (wal) => flip(wal, 0.9999)),
  onWal("overwritten with zeros", (wal) => writeFileSync(wal, new Uint8Array(statSync(wal).size))),
  onFile("removed", (file) => rmSync(file)),
  onFile("cut to nothing", (file) => cut(file, 0)),
  onFile("cut in half", (file) => cut(file, 0.5)),
  onFile("damaged at its beginning", (file) => flip(file, 0, 16)),
  onFile("damaged in the middle", (file) => flip(file, 0.5)),
  {
    name: "the file, and its log, of an earlier time",
    apply: (folder, earlier) => {
      for (const name of [STORE, WAL, `${STORE}-shm`]) {
        if (existsSync(join(earlier, name))) copyFileSync(join(earlier, name), join(folder, name))
        else rmSync(join(folder, name), { force: true })
      }
    }
  },
  {
    name: "the log of an earlier time",
    apply: (folder, earlier) => copyFileSync(join(earlier, WAL), join(folder, WAL))
  },
  {
    name: "file and log removed",
    apply: (folder) => {
      for (const name of [STORE, WAL, `${STORE}-shm`]) rmSync(join(folder, name), { force: true })
    }
  },
  {
    name: "what stands beside them removed, and the log cut",
    apply: (folder) => {
      for (const name of besides(folder)) rmSync(join(folder, name))
      cut(join(folder, WAL), 0.5)
    }
  },
  {
    name: "what stands beside them damaged",
    apply: (folder) => {
      for (const name of besides(folder)) flip(join(folder, name), 0, 4096)
    }
  }
]
