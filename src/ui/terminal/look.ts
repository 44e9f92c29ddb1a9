/** Lines on a screen of their own; what was there before is there again afterwards. */
import type { Line } from "./line.ts"
import { ENTER, openPager, pagerText } from "./pager.ts"
import { liveWidth, type Session } from "./session.ts"

export function look(session: Session, lines: readonly Line[]): void {
  const { options, screen } = session
  screen.pause()
  session.pager = openPager(lines, liveWidth(session), options.stdout.rows)
  options.stdout.write(ENTER)
  paintPager(session)
}

export function paintPager(session: Session): void {
  const { pager, options, paint } = session
  if (pager) options.stdout.write(pagerText(pager, paint, liveWidth(session), options.stdout.rows))
}
