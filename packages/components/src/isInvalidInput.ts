import { InvalidInput } from "@rollcall/input"
import { KubeconfigError } from "@rollcall/kube-client"

/** Whether an error is about what a person wrote: a flag, a file, a kubeconfig. */
export const isInvalidInput = (error: unknown): boolean =>
  error instanceof InvalidInput || error instanceof KubeconfigError
