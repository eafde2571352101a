import type { KubeObject } from "@rollcall/api"
import { StoreFailure } from "@rollcall/store"
import * as Result from "effect/Result"
import type { CalledConversion } from "./KindDefinition.ts"

/** How many objects of one request are converted at the same time. */
const MAX_CALLS = 16

/** Why an object could not be converted: its message is that of the answer. */
export class ConversionFailure extends StoreFailure {}

/** Called with the converted object, or with why there is none. */
type Done = (why: string | undefined, converted?: KubeObject) => void

/**
 * The objects of a view whose conversion calls another program. A converted object is kept as long as the stored one, as
 * upstream's watch cache of a version keeps it. Reading one that is not converted yet is an error of the caller.
 */
export class Converted {
  private readonly conversion: CalledConversion
  private readonly byStored = new WeakMap<KubeObject, KubeObject>()
  /** The stored forms of written objects. */
  private readonly storedForms = new WeakMap<KubeObject, KubeObject>()
  /** Who waits for the conversion of a stored object. */
  private readonly waiting = new Map<KubeObject, Array<Done>>()

  constructor(conversion: CalledConversion) {
    this.conversion = conversion
  }

  has(stored: KubeObject): boolean {
    return this.byStored.has(stored)
  }

  of(stored: KubeObject): KubeObject {
    const known = this.byStored.get(stored)
    if (known === undefined) throw new Error(`${stored.kind} ${stored.metadata.name} is read before it is converted`)
    return known
  }

  /** Converts a stored object. `again` also converts one that is known, which keeps its first form for other readers. */
  prepare(stored: KubeObject, again: boolean, done: Done) {
    const known = this.byStored.get(stored)
    if (!again && known !== undefined) return done(undefined, known)
    const waiting = this.waiting.get(stored)
    if (waiting !== undefined) {
      waiting.push(done)
      return
    }
    const all = [done]
    this.waiting.set(stored, all)
    try {
      this.conversion.fromStorage(stored, (result) => {
        this.waiting.delete(stored)
        if (Result.isSuccess(result) && !this.has(stored)) this.byStored.set(stored, result.success)
        tellAll(all, result)
      })
    } catch (error) {
      this.waiting.delete(stored)
      throw error
    }
  }

  /** Converts stored objects, several at a time. After the first failure no further conversion starts. */
  prepareAll(stored: ReadonlyArray<KubeObject>, done: Done): void {
    let next = 0
    let open = 0
    let why: string | undefined
    let isStarting = false
    let isDone = false
    const start = () => {
      if (isStarting) return
      isStarting = true
      while (why === undefined && open < MAX_CALLS && next < stored.length) {
        open++
        this.prepare(stored[next++] as KubeObject, false, (failure) => {
          open--
          why ??= failure
          start()
        })
      }
      isStarting = false
      if (open === 0 && !isDone) {
        isDone = true
        done(why)
      }
    }
    start()
  }

  /** Converts an object of the view to its stored form. */
  toStorage(object: KubeObject, done: (result: Result.Result<KubeObject, ConversionFailure>) => void) {
    this.conversion.toStorage(object, (result) => {
      if (Result.isFailure(result)) return done(Result.fail(new ConversionFailure({ message: result.failure })))
      const stored = { ...result.success, metadata: { ...result.success.metadata } }
      this.storedForms.set(object, stored)
      done(Result.succeed(stored))
    })
  }

  /** Returns the stored form of an object that was written, or is about to be. */
  storedFormOf(object: KubeObject): KubeObject | undefined {
    return this.storedForms.get(object)
  }
}

/** Tells all who wait; one that throws does not keep it from the others. */
const tellAll = (all: ReadonlyArray<Done>, result: Result.Result<KubeObject, string>): void => {
  let thrown: { readonly error: unknown } | undefined
  for (const done of all) {
    try {
      if (Result.isFailure(result)) done(result.failure)
      else done(undefined, result.success)
    } catch (error) {
      thrown ??= { error }
    }
  }
  if (thrown !== undefined) throw thrown.error
}
