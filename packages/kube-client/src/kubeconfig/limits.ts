/** More is no kubeconfig: the largest known have some hundred clusters. */
export const MAX_KUBECONFIG_BYTES = 8 << 20
/** More is no bundle of certificates: those of whole systems have a quarter of a MiB. */
export const MAX_PEM_BYTES = 4 << 20
/** More is no token: servers refuse headers of a sixteenth of it. */
export const MAX_TOKEN_BYTES = 1 << 20
