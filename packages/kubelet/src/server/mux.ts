import { type KubeletRequest, type SettledResponse, text } from "./KubeletRequest.ts"

/*
 * What Go's http.ServeMux does before a handler is asked.
 */

export const notFound: SettledResponse = text(404, "404 page not found\n")

/** Returns a path without `.`, `..` and double slashes. Upstream: Go's net/http, cleanPath. */
export const cleanPath = (path: string): string => {
  const kept: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") kept.pop()
    else if (part !== "" && part !== ".") kept.push(part)
  }
  return kept.length === 0 ? "/" : `/${kept.join("/")}${path.endsWith("/") ? "/" : ""}`
}

/** Whether a path is that of a service, or below it. */
export const isBelow = (path: string, root: string): boolean => {
  const folder = root.endsWith("/") ? root : `${root}/`
  return `${path}/` === folder || path.startsWith(folder)
}

/** Redirects to a path of the same server. */
export const redirect = (path: string, query: KubeletRequest["query"]): SettledResponse => {
  const encode = (given: string) => encodeURIComponent(given.toWellFormed())
  const values = Array.from(query, ([name, all]) => all.map((value) => `${encode(name)}=${encode(value)}`)).flat()
  const location = `${path.split("/").map(encode).join("/")}${values.length === 0 ? "" : `?${values.join("&")}`}`
  return {
    code: 307,
    contentType: "text/html; charset=utf-8",
    body: `<a href="${location.replaceAll("&", "&amp;").replaceAll("'", "&#39;")}">Temporary Redirect</a>.\n\n`,
    headers: { Location: location }
  }
}
