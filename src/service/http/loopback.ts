/** Names and addresses of the machine itself. */

const LOOPBACK = /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** @param hostname as `URL` writes it: lower case, IPv6 in brackets */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)
