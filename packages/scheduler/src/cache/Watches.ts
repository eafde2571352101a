/** Callbacks for changes of objects, by key. Free of cost without callbacks. */
export class Watches {
  private readonly callbacks = new Map<string, Set<() => void>>()

  get size(): number {
    return this.callbacks.size
  }

  /** Returns a function that removes the callback. */
  add(key: string, callback: () => void): () => void {
    const known = this.callbacks.get(key) ?? new Set()
    this.callbacks.set(key, known.add(callback))
    return () => {
      known.delete(callback)
      if (known.size === 0 && this.callbacks.get(key) === known) this.callbacks.delete(key)
    }
  }

  tell(key: string): void {
    if (this.callbacks.size === 0) return
    for (const callback of this.callbacks.get(key) ?? []) callback()
  }
}

export const claimWatchKey = (namespace: string, name: string): string => `claim ${namespace}/${name}`
export const volumeWatchKey = (name: string): string => `volume ${name}`
export const nodeWatchKey = (name: string): string => `node ${name}`
