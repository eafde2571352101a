/** Returns a path from the root, without `.` and repeated slashes: the working directory of a container is its root. */
export const absolute = (path: string): string => {
  const clean = `/${path}`.replace(/\/+(?:\.\/+)*/g, "/").replace(/\/\.?$/, "")
  return clean === "" ? "/" : clean
}
