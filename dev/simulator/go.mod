module io.baetyl.gpu/dev/simulator

go 1.26
