import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const LIBRARIES = "/usr/lib"
const NAME = join("faketime", "libfaketimeMT.so.1")

/** Returns the path of libfaketime, or undefined if it is not installed. */
export const fakeTimeLibrary = (): string | undefined =>
  existsSync(LIBRARIES)
    ? readdirSync(LIBRARIES)
        .map((folder) => join(LIBRARIES, folder, NAME))
        .find((file) => existsSync(file))
    : undefined

/** The wall clock of the processes that are started with `environment`. It can be changed while they run. */
export interface FakeClock {
  readonly environment: Readonly<Record<string, string>>
  /** Sets the clock this many days from the real time. */
  readonly set: (days: number) => void
}

export const fakeClock = (library: string, folder: string): FakeClock => {
  const file = join(folder, "clock")
  const set = (days: number) => {
    // A rename is atomic: a process never reads a half-written file.
    const draft = `${file}.new`
    writeFileSync(draft, `${days < 0 ? "-" : "+"}${Math.abs(days)}d\n`)
    renameSync(draft, file)
  }
  set(0)
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      // The kernel's monotonic clock does not jump either.
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    },
    set
  }
}
