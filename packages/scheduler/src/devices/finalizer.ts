/** Keeps an allocated claim from being deleted. */
export const FINALIZER = "resource.kubernetes.io/delete-protection"
