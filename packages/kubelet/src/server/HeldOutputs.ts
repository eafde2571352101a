import type { TimersShape } from "@rollcall/time"

/** What one command may write; the rest is left out. Upstream: containerd's limit of ExecSync. */
const MAX_OUTPUT = 16 * 1024 * 1024
/** What all commands of a process that still run have written, beyond what each may write all the same. */
const MAX_TOGETHER = 64 * 1024 * 1024
const SMALL_OUTPUT = 64 * 1024

export interface HeldLimits {
  readonly each: number
  readonly together: number
  readonly small: number
}

/** What one command has written so far. */
export interface HeldOutput {
  readonly write: (stream: 1 | 2, text: string) => void
  /** Returns what is held of both streams, and holds it no longer. */
  readonly take: () => Readonly<Record<1 | 2, string>>
}

/** The outputs of commands that are answered when they have ended. */
export class HeldOutputs {
  private readonly limits: HeldLimits
  private characters = 0

  constructor(limits: Partial<HeldLimits> = {}) {
    this.limits = { each: MAX_OUTPUT, together: MAX_TOGETHER, small: SMALL_OUTPUT, ...limits }
  }

  get heldCharacters(): number {
    return this.characters
  }

  hold(): HeldOutput {
    const { each, small, together } = this.limits
    let written = { 1: "", 2: "" }
    const length = () => written[1].length + written[2].length
    return {
      write: (stream, text) => {
        const most = this.characters >= together ? small : each
        if (length() >= most) return
        written[stream] += text
        this.characters += text.length
      },
      take: () => {
        const taken = written
        this.characters -= length()
        written = { 1: "", 2: "" }
        return taken
      }
    }
  }
}

/** By the timers of the process, which all its kubelets share. */
const outputs = new WeakMap<TimersShape, HeldOutputs>()

export const heldOutputsOf = (timers: TimersShape): HeldOutputs => {
  const known = outputs.get(timers) ?? new HeldOutputs()
  outputs.set(timers, known)
  return known
}
