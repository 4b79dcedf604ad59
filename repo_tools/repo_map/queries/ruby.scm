(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(alias name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: [(constant) (scope_resolution)] @name) @constant
(operator_assignment left: (constant) @name) @constant
(left_assignment_list (constant) @name) @constant
(call !receiver method: (identifier) @of arguments: (argument_list (simple_symbol) @name) (#any-of? @of "attr_accessor" "attr_reader" "attr_writer")) @property
(_ method: (identifier) @of arguments: (argument_list . (simple_symbol) @name) (#eq? @of "alias_method")) @method
