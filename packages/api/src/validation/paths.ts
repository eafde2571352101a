import type { ErrorList } from "./ErrorList.ts"
import { isDNS1123Subdomain, patternText } from "./names.ts"

/** Checks that a path has no element `..`. Upstream: pkg/apis/core/validation/validation.go, validatePathNoBacksteps. */
export const validateNoBacksteps = (errors: ErrorList, value: string, path: string): void => {
  if (value.split("/").includes("..")) errors.invalid(path, value, "must not contain '..'")
}

/** Whether Go's path.Clean makes the path `/`. */
export const isRoot = (path: string): boolean => {
  let depth = 0
  for (const element of path.split("/")) {
    if (element === "..") depth = Math.max(0, depth - 1)
    else if (element !== "" && element !== ".") depth++
  }
  return path.startsWith("/") && depth === 0
}

/** Checks that the path is relative and does not leave its root. */
export const validateDescendingPath = (errors: ErrorList, value: string, path: string): void => {
  if (value.startsWith("/")) errors.invalid(path, value, "must be a relative path")
  validateNoBacksteps(errors, value, path)
}

/** Checks what `validateDescendingPath` does, and that the kubelet does not reserve the name for its atomic writer. */
export const validateUnreservedPath = (errors: ErrorList, value: string, path: string): void => {
  validateDescendingPath(errors, value, path)
  if (value.startsWith("..") && !value.startsWith("../")) errors.invalid(path, value, "must not start with '..'")
}

export const validateFileMode = (errors: ErrorList, mode: number | undefined, path: string): void => {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")
  }
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"

/** Checks a path that begins with a domain: `example.com/ingress`. Upstream: apimachinery/pkg/util/validation/validation.go, IsDomainPrefixedPath. */
export const checkDomainPrefixedPath = (errors: ErrorList, value: string, at: string): void => {
  const [, host = "", path = ""] = /^([^/]*)\/(.*)$/s.exec(value) ?? []
  if (value === "") errors.required(at)
  else if (host === "" || path === "") {
    errors.invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
  } else {
    errors.invalidEach(at, host, isDNS1123Subdomain(host))
    if (!new RegExp(`^${pathPattern}$`).test(path)) errors.invalid(at, path, patternText("Invalid path", pathPattern))
  }
}
