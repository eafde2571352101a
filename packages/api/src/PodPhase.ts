/** Whether the pod is in phase Succeeded or Failed, in which it is never started again. */
export const isPodTerminal = ({ status }: { readonly status?: { readonly phase?: string } }): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed"
