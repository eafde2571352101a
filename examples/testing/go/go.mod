module example.com/partition

go 1.19
