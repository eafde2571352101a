import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { damaged, messageOf, Refusal } from "./Refusal.ts"

/* SQLite's result codes. ERROR is that of a statement whose table or column does not exist. */
const ERROR = 1
const BUSY = 5
const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26

/** Returns SQLite's primary result code; undefined for an error of another origin. */
const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

const isFull = (cause: unknown): boolean =>
  codeOf(cause) === FULL || (cause instanceof Error && "code" in cause && cause.code === "ENOSPC")

/** Returns why the system writes no file of a folder, which SQLite tells from no other error; undefined if it does. */
const folderFault = (file: string): string | undefined => {
  try {
    accessSync(dirname(file), constants.W_OK)
    return undefined
  } catch (cause) {
    return messageOf(cause)
  }
}

/** Turns an error of opening a file into the refusal. */
export const refusalOf = (file: string, cause: unknown): Refusal => {
  if (cause instanceof Refusal) return cause
  const code = codeOf(cause)
  if (code === BUSY) {
    return new Refusal("locked", `${file} is open in another process: stop that one, or name another file`)
  }
  if (code === NOT_A_DATABASE || code === CORRUPT || code === ERROR) return damaged(file, messageOf(cause))
  const message = folderFault(file) ?? `${messageOf(cause)}${isFull(cause) ? ": make room on its disk" : ""}`
  return new Refusal("unavailable", `${file} cannot be opened: ${message}`)
}

/** Whether the error is about the file itself. Otherwise the file may still open in another mode. */
export const isErrorOfFile = (cause: unknown): boolean =>
  cause instanceof Refusal || [BUSY, CORRUPT, ERROR, NOT_A_DATABASE].includes(codeOf(cause) ?? 0)
