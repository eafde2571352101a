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

/** The length of a frame of the write-ahead log: a header of 24 bytes and a page of 4096. */
const WAL_FRAME_BYTES = 24 + 4096

const STORE = "store.sqlite"
const WAL = `${STORE}-wal`

/** A damage to a store's files while no server has them open. */
export interface Damage {
  readonly name: string
  /** Applies the damage. `folder`: the data folder; `earlier`: a copy of its store from when the first half was written. */
  readonly apply: (folder: string, earlier: string) => void
  /** Set if the damage loses no acknowledged write, so that the server must start. */
  readonly isHarmless?: true
}

const truncateToShare = (file: string, share: number) => truncateSync(file, Math.floor(statSync(file).size * share))

/** Inverts `count` bytes at a share of the file's length. */
const invertBytes = (file: string, share: number, count = 64) => {
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

/** Returns the store's files except the three that SQLite itself keeps. */
const otherStoreFiles = (folder: string): ReadonlyArray<string> =>
  storeFiles(folder).filter((name) => name !== STORE && name !== WAL && name !== `${STORE}-shm`)

const walDamage = (name: string, apply: (wal: string) => void): Damage => ({
  name: `the write-ahead log ${name}`,
  apply: (folder) => apply(join(folder, WAL))
})

const fileDamage = (name: string, apply: (file: string) => void): Damage => ({
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
  walDamage("cut by its last byte", (wal) => truncateSync(wal, statSync(wal).size - 1)),
  walDamage("cut by its last frame", (wal) => truncateSync(wal, statSync(wal).size - WAL_FRAME_BYTES)),
  walDamage("cut in half", (wal) => truncateToShare(wal, 0.5)),
  walDamage("cut to nothing", (wal) => truncateToShare(wal, 0)),
  walDamage("removed", (wal) => rmSync(wal)),
  walDamage("damaged at its beginning", (wal) => invertBytes(wal, 0.0001)),
  walDamage("damaged in the middle", (wal) => invertBytes(wal, 0.5)),
  walDamage("damaged at its end", (wal) => invertBytes(wal, 0.9999)),
  walDamage("overwritten with zeros", (wal) => writeFileSync(wal, new Uint8Array(statSync(wal).size))),
  fileDamage("removed", (file) => rmSync(file)),
  fileDamage("cut to nothing", (file) => truncateToShare(file, 0)),
  fileDamage("cut in half", (file) => truncateToShare(file, 0.5)),
  fileDamage("damaged at its beginning", (file) => invertBytes(file, 0, 16)),
  fileDamage("damaged in the middle", (file) => invertBytes(file, 0.5)),
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
      for (const name of otherStoreFiles(folder)) rmSync(join(folder, name))
      truncateToShare(join(folder, WAL), 0.5)
    }
  },
  {
    name: "what stands beside them damaged",
    apply: (folder) => {
      for (const name of otherStoreFiles(folder)) invertBytes(join(folder, name), 0, 4096)
    }
  }
]
