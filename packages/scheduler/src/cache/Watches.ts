/** Callbacks for changes of objects, by the keys below. */
export class Watches {
  private readonly callbacks = new Map<string, Set<() => void>>()

  get size(): number {
    return this.callbacks.size
  }

  /** Adds a callback for changes of an object. Returns a function that removes it. */
  add(key: string, callback: () => void): () => void {
    const callbacks = this.callbacks.get(key) ?? new Set()
    this.callbacks.set(key, callbacks.add(callback))
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0 && this.callbacks.get(key) === callbacks) this.callbacks.delete(key)
    }
  }

  /** Must be called when the object with this key has changed. */
  notify(key: string): void {
    if (this.callbacks.size === 0) return
    for (const callback of this.callbacks.get(key) ?? []) callback()
  }
}

export const claimWatchKey = (namespace: string, name: string): string => `claim ${namespace}/${name}`
export const volumeWatchKey = (name: string): string => `volume ${name}`
export const nodeWatchKey = (name: string): string => `node ${name}`
