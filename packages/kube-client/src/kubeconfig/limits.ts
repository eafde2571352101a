/** The limit of a kubeconfig: the largest known ones have about a hundred clusters. */
export const MAX_KUBECONFIG_BYTES = 8 << 20
/** The limit of a certificate bundle: a system's own has a quarter of a MiB. */
export const MAX_PEM_BYTES = 4 << 20
/** The limit of a token: servers reject headers of a sixteenth of it. */
export const MAX_TOKEN_BYTES = 1 << 20
