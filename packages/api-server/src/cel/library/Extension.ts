/** A value of a type that one of Kubernetes' libraries adds. */
export abstract class Extension {
  /** As `type(x)` has it: `kubernetes.Quantity`. */
  abstract readonly typeName: string
  /** A text that equal values share, and others of the type do not. */
  abstract readonly key: string
  /** For costs. */
  get size(): number {
    return 1
  }
}
