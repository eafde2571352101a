/** Upstream: apiserver/pkg/endpoints/handlers/patch.go, MaxRetryWhenPatchConflicts. */
export const PATCH_ATTEMPTS = 6
