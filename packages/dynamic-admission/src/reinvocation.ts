import type { Reinvocation } from "./attributes.ts"

/**
 * What one plugin remembers between the two rounds of mutation. Upstream:
 * plugin/webhook/mutating/reinvocationcontext.go, plugin/policy/mutating/reinvocationcontext.go.
 */
class ReinvocationState {
  lastOutput: unknown
  private invokedBefore = new Set<string>()
  private readonly again = new Set<string>()

  /** Notes that one may be invoked again if the object changes after it. */
  invoked(uid: string): void {
    this.invokedBefore.add(uid)
  }

  /** Notes that the object has changed. */
  requireReinvoking(): void {
    for (const uid of this.invokedBefore) this.again.add(uid)
    this.invokedBefore = new Set()
  }

  shouldReinvoke(uid: string): boolean {
    return this.again.has(uid)
  }
}

/** Returns the state of a plugin for one request. */
export const reinvocationOf = ({ states }: Reinvocation, plugin: string): ReinvocationState => {
  const known = states.get(plugin)
  if (known instanceof ReinvocationState) return known
  const made = new ReinvocationState()
  states.set(plugin, made)
  return made
}
