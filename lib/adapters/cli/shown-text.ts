import { partsOfContent } from '../../contract/content';
import type { ContentBlock, Media } from '../../contract/content';

/** What a program has shown, as lines. Files are described. */
export function shownText(content: readonly ContentBlock[]): string {
  const text = (of: string) => `${of}\n`;
  const image = ({ mimeType, data }: Media) => text(`[${mimeType}, ${Buffer.byteLength(data, 'base64')} bytes]`);
  return partsOfContent(content, { text, image, audio: image, pdf: image }).join('');
}
