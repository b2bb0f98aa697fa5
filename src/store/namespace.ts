/** A Durable Object namespace whose stubs have the methods of `Face`. */
export interface Namespace<Face> {
  getByName(name: string): Face
}
