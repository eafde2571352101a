import { KubeconfigError } from "@rollcall/kube-client"
import { InvalidInput } from "@rollcall/simulator/input"

/** Whether an error is about what a person wrote: a flag, a file, a kubeconfig. */
export const isInvalidInput = (error: unknown): boolean =>
  error instanceof InvalidInput || error instanceof KubeconfigError
